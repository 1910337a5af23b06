import type { Runtime } from "./api.ts";
import type { Context } from "./context.ts";
import { type ExitKind, failed, type Outcome, success } from "./failure.ts";
import { runtimeFailure } from "./runtime-failure.ts";

/** `tc-compile info`: versions, the device that `run` would use, and its profile. */
export async function info({ line, report, tools }: Context): Promise<Outcome<ExitKind>> {
  if (line.files.length > 0) {
    return failed(
      `info takes no words, it was given ${line.files.join(" ")}`,
      "write tc-compile info, with --adapter NAME for another device",
    );
  }
  const system = `${process.platform} ${process.arch}`;
  report.data(`tc-wgsl  ${tools.version}\nnode     ${process.version}\nsystem   ${system}\n`);
  const versions = { version: tools.version, node: process.version, system };
  let runtime: Runtime;
  try {
    runtime = await tools.openRuntime({ adapter: line.adapter, onNote: report.aside });
  } catch (error) {
    report.record("info", versions);
    return runtimeFailure(error);
  }
  const { adapterText, profile } = runtime;
  runtime.dispose();
  report.data(`adapter  ${adapterText}\n`);
  report.data(`profile  ${JSON.stringify(profile, null, 2)}\n`);
  report.record("info", { ...versions, adapter: adapterText, profile });
  return success("fine");
}
