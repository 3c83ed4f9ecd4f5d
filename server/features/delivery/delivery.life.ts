import type { DeliveryRow } from './delivery.repository.ts';

/** How long the link of a delivery lives, as the rules ask for it. */
export function lifeOf({ status, expiresAt, linkBeganHealthyMs }: DeliveryRow) {
  return { status, expiresAtMs: expiresAt.getTime(), beganHealthyMs: linkBeganHealthyMs };
}
