import { type ParseAnswer, type ParseTask, readExport } from './import-parse.ts';

export async function run(task: ParseTask): Promise<ParseAnswer> {
  return readExport(task);
}
