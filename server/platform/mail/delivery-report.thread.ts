import { type FailureReport, readFailureReport } from './delivery-report.ts';

export function run(raw: Uint8Array): Promise<FailureReport | null> {
  return readFailureReport(raw);
}
