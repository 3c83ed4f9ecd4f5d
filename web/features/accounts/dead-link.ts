import { ApiError } from '#web/lib/api/api.ts';

/** Anything the service refuses about the link itself; being busy or out of reach says nothing about it. */
export function isDeadLink(error: unknown): boolean {
  return error instanceof ApiError && [400, 404, 409, 410].includes(error.status);
}
