// Builds the npm package of agents, @askback/client, into clients/typescript/dist: one readable module, and its types.
import { execFileSync } from "node:child_process";
import { copyFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const path = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

rmSync(path("clients/typescript/dist"), { recursive: true, force: true });
await build({
  configFile: false,
  root: path("web"),
  logLevel: "warn",
  build: {
    target: "es2022",
    minify: false,
    outDir: path("clients/typescript/dist"),
    emptyOutDir: true,
    lib: { entry: "src/agent/index.ts", formats: ["es"], fileName: "index" },
    rolldownOptions: { external: /^node:/ },
  },
});
const tsc = path("web/node_modules/typescript/bin/tsc");
execFileSync(process.execPath, [tsc, "-p", path("web/tsconfig.client.json")], { stdio: "inherit" });
copyFileSync(path("LICENSE"), path("clients/typescript/LICENSE"));
