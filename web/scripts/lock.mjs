// Rewrites package-lock.json without funding links, so that it names no host.
import { readFileSync, writeFileSync } from "node:fs";

const file = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(file, "utf8"));
for (const entry of Object.values(lock.packages)) delete entry.funding;
const text = `${JSON.stringify(lock, null, 2)}\n`;
if (text.includes("://")) throw new Error("package-lock.json names a host");
writeFileSync(file, text);
