import { customType, timestamp } from 'drizzle-orm/pg-core';

/**
 * A `timestamptz` with milliseconds. A JavaScript date holds no more, so a finer column could never be
 * compared for equality with what was read from it.
 */
export function instant(name: string) {
  return timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });
}

/** Raw bytes (`bytea`). */
export const bytes = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' });
