import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  test: {
    include: [process.env["FACTS_RUN"] ?? "test/facts/facts.run.ts"],
    pool: "forks",
    testTimeout: 0,
    hookTimeout: 60_000,
  },
});

export default config;
