// Loaded by the drill alone, with NODE_OPTIONS: hangs the process that answers with this address, once for each file.
import { existsSync, rmSync } from 'node:fs';

const { HANG_FILE: file, HANG_EMAIL: email } = process.env;
const stringify = JSON.stringify;

JSON.stringify = (...given) => {
  if (given[0]?.email === email && file && existsSync(file)) {
    rmSync(file);
    for (;;);
  }
  return stringify(...given);
};
