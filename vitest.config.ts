import { defineConfig, type ViteUserConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { compiledSources } from "./test/support/compiled-sources.ts";

/** Starts what takes minutes first, so that no worker is idle while another ends with it. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean =>
      /\/differential\/|three-executions|robustness|run-examples|playground\/browser/.test(
        moduleId,
      );
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

// What `auto` takes in tests does not depend on what is installed.
const {
  TC_ADAPTER: adapter = process.platform === "linux" && process.arch === "x64"
    ? "swiftshader"
    : "auto",
} = process.env;

const config: ViteUserConfig = defineConfig({
  plugins: [compiledSources()],
  test: {
    server: { deps: { external: [/\/\.cache\/src\//] } },
    include: ["test/**/*.test.ts"],
    // A Dawn instance must not be torn down inside a thread; it lives as long as its process.
    pool: "forks",
    maxWorkers: 2,
    // A process runs one file after the other: the compiler is loaded once for all, and is fast by then. What tests
    // replace of the process (variables, timers) they put back.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    env: { TC_ADAPTER: adapter },
    // Nothing is timed: what takes seconds here may take minutes on a machine that is busy.
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});

export default config;
