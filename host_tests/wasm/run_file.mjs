// Run the tests of one file in MicroPython's WebAssembly build. The arguments and the output are run_file.py's.
//
// The module has a file system of its own: firmware/ and host_tests/ are copied into it under their own names.

import { readFileSync, readdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { loadMicroPython } from "../js/node_modules/@micropython/micropython-webassembly-pyscript/micropython.mjs";

const HOST_TESTS = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const SKIPPED = new Set(["js", "wasm", "node_modules", "__pycache__"]);

function copyFolder(fs, folder) {
  fs.mkdirTree(folder);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isFile()) fs.writeFile(path, readFileSync(path));
    else if (entry.isDirectory() && !SKIPPED.has(entry.name)) copyFolder(fs, path);
  }
}

const [file, ports, ...names] = process.argv.slice(2);
const path = resolve(file);
const print = (line) => process.stdout.write(`${line}\n`);
const python = await loadMicroPython({ linebuffer: true, stdout: print, stderr: print });
for (const folder of [resolve(HOST_TESTS, "../firmware"), HOST_TESTS, dirname(path)]) copyFolder(python.FS, folder);

try {
  await python.runPythonAsync(`
import sys
sys.argv.extend(${JSON.stringify(["run_file.py", path, ports, ...names])})
sys.path.insert(0, ${JSON.stringify(HOST_TESTS)})
import run_file
await run_file.run_within(sys.argv[1], sys.argv[3:])
`);
} catch (e) {
  print(e.message);
  process.exitCode = 1;
}
