// Rewrites the package-lock.json of this folder without funding links, so that it names no host.
import { readFileSync, writeFileSync } from "node:fs";

const file = "package-lock.json";
const lock = JSON.parse(readFileSync(file, "utf8"));
for (const entry of Object.values(lock.packages)) delete entry.funding;
const text = `${JSON.stringify(lock, null, 2)}\n`;
if (text.includes("://")) throw new Error("package-lock.json names a host");
writeFileSync(file, text);
