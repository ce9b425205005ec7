// Runs the bench's WebAssembly module: node node.mjs MODULE MESSAGES; prints events and milliseconds as JSON.
// The first run is for the compiler behind WebAssembly, the second counts.
import { readFileSync } from "node:fs";

const [, , path, messages] = process.argv;
const { instance } = await WebAssembly.instantiate(readFileSync(path));
const { run } = instance.exports;
run(Math.min(Number(messages), 200_000));
const start = performance.now();
const events = run(Number(messages)) >>> 0;
console.log(JSON.stringify({ events, ms: performance.now() - start }));
