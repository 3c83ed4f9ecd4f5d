import { customType, timestamp } from 'drizzle-orm/pg-core';

/**
 * A `timestamptz` with milliseconds. JavaScript dates are no finer, so a finer column would never equal the value
 * that was read from it.
 */
export function instant(name: string) {
  return timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });
}

/** Raw bytes (`bytea`). */
export const bytes = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' });
