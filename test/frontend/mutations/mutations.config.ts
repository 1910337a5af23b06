import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  test: {
    include: ["test/frontend/mutations/mutations.run.ts"],
    pool: "forks",
    testTimeout: 0,
  },
});

export default config;
