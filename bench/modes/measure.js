// Measures everybody, case by case.
import { ownNames } from "../flags.js";
import { ours } from "../peers/ours.js";
import { caseLines } from "../report/table.js";
import { runCase } from "../run-case.js";
import { openSession, shareDevice } from "../session.js";
import { finish } from "./report.js";

/** Libraries are loaded when they are asked for. */
const openPeer = {
  "jax-js": async () => (await import("../peers/jax-js.js")).open(),
  tfjs: async () => (await import("../peers/tfjs.js")).open(),
  onnxruntime: async (device) => (await import("../peers/onnxruntime.js")).open(device),
};

/** @param {import("../flags.js").Flags} flags @returns {Promise<number>} the exit status */
export async function measureAll(flags) {
  const session = await openSession(flags.adapter);
  const { adapter, date, device, runtime } = session;
  const ceiling = await session.ceilings();
  shareDevice(session);
  const lines = [];
  const emit = (record) => {
    lines.push(record);
    if (flags.json) process.stdout.write(`${JSON.stringify(record)}\n`);
  };
  const tell = (text) => void (flags.json ? process.stderr : process.stdout).write(text);
  emit({ ceilings: ceiling, adapter, date });
  const text = `${ceiling.gflops.toFixed(1)} GFLOP/s, ${ceiling.gigabytes.toFixed(1)} GB/s`;
  tell(`adapter   ${adapter}\nceilings  ${text}\n`);

  const opened = new Map();
  for (const who of flags.who) {
    const open = ownNames.includes(who) ? ours(who) : openPeer[who];
    opened.set(who, await open(device, runtime));
  }
  for (const benchCase of flags.cases) {
    const records = await runCase(benchCase, opened, session, flags.rounds);
    for (const record of records) emit(record);
    tell(caseLines(records));
  }
  if (flags.figures) {
    const { figures } = await import("../figures/figures.js");
    for await (const figure of figures(session)) emit(figure);
  }
  return await finish(lines, flags, tell);
}
