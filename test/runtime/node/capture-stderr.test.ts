import { writeSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openStderrCapture } from "../../../src/runtime/node/capture-stderr.ts";

describe.runIf(process.platform === "linux")("openStderrCapture", () => {
  it("has what is written past the streams of Node, and lets later writes pass", async () => {
    const capture = await openStderrCapture();
    const inner = capture(() => writeSync(2, "Warning: artificially reduced\n"));
    expect(inner.printed).toBe("Warning: artificially reduced\n");
    // The outer one is standard error for the inner one.
    const outer = capture(() => {
      capture(() => writeSync(2, "inner"));
      writeSync(2, "outer");
    });
    expect(outer.printed).toBe("outer");
  });

  it("puts standard error back after a throw", async () => {
    const capture = await openStderrCapture();
    const { printed } = capture(() => {
      const failing = (): void => {
        capture(() => {
          throw new Error("its own");
        });
      };
      expect(failing).toThrow("its own");
      writeSync(2, "after it");
    });
    expect(printed).toBe("after it");
  });
});
