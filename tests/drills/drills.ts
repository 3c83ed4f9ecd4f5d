import type { Drill } from './drill.ts';
import { poolerDrill } from './pooler.ts';
import { silentDatabaseDrill } from './silent-database.ts';

/** Every drill there is. */
export const drills: readonly Drill[] = [silentDatabaseDrill, poolerDrill];
