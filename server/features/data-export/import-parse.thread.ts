import { parentPort, workerData } from 'node:worker_threads';
import { type ParseTask, readExport } from './import-parse.ts';

parentPort?.postMessage(readExport(workerData as ParseTask));
