import { crowdDrill } from './crowd.ts';
import type { Drill } from './drill.ts';
import { hangingProcessDrill } from './hanging-process.ts';
import { imageDrill } from './image.ts';
import { lostDatabaseDrill } from './lost-database.ts';
import { poolerDrill } from './pooler.ts';
import { rollingRestartDrill } from './rolling-restart.ts';
import { runbookDrill } from './runbook.ts';
import { silentDatabaseDrill } from './silent-database.ts';

/** Every drill there is. */
export const drills: readonly Drill[] = [
  silentDatabaseDrill,
  hangingProcessDrill,
  poolerDrill,
  lostDatabaseDrill,
  rollingRestartDrill,
  crowdDrill,
  imageDrill,
  runbookDrill,
];
