/** A case's lines for people. @param {import("../cases/case.js").Case} benchCase @param {any[]} records */
export function printTable(benchCase, records) {
  const peers = records.filter((r) => !["default", "naive", "tuned", "unfused"].includes(r.who));
  const best = Math.min(...peers.map((r) => r.medianMs ?? Number.POSITIVE_INFINITY));
  const lines = records.map((r) => {
    if (r.unsupported !== undefined) return `  ${r.who.padEnd(12)} ${r.unsupported}`;
    const ratio =
      peers.includes(r) || !Number.isFinite(best)
        ? ""
        : `${(best / r.medianMs).toFixed(2)}x the best peer`;
    return [
      `  ${r.who.padEnd(12)}`,
      `${r.medianMs.toFixed(3).padStart(10)} ms ±${((100 * r.madMs) / r.medianMs).toFixed(0).padStart(3)} %`,
      `${String(r.dispatches).padStart(5)} dispatches`,
      `${(100 * r.ceiling).toFixed(0).padStart(4)} % of the ceiling  `,
      ratio,
    ].join(" ");
  });
  return `${benchCase.name}\n${lines.join("\n")}\n`;
}
