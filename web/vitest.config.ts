import { defineConfig } from "vitest/config";

export default defineConfig({
  // Here a part has the whole catalogue.
  resolve: { alias: [{ find: /\.json\?.+$/, replacement: ".json" }] },
  test: {
    environment: "node",
    // The page shows moments in the zone of the computer; the vectors expect this one.
    env: { TZ: "Europe/Berlin" },
    include: ["tests/unit/**/*.test.ts"],
  },
});
