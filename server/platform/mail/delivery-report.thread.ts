import { type ReturnedMail, readReturnedMail } from './delivery-report.ts';

export function run(raw: Uint8Array): Promise<ReturnedMail | null> {
  return readReturnedMail(raw);
}
