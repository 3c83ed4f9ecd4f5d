import { addPushDevice, listPushDevices, removePushDevice } from '#shared/contract/release/push.ts';
import { withoutSchemas } from '#web/lib/api/without-schemas.ts';

/** The web's build replaces this file by its result. */
export const pushRoutes = withoutSchemas({ addPushDevice, listPushDevices, removePushDevice });
