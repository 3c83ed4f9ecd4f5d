import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import { AppError } from '#shared/contract/errors.ts';

export type Shedding = {
  /** Highest delay of the event loop in milliseconds before calls are refused; 0 for never. */
  eventLoopDelayMaxMs: number;
  /** Calls in progress up to which none is refused, however late the event loop is. */
  callsInProgressMax: number;
};

/**
 * An event loop this late with that many calls means that work is piling up. A late loop alone means a slow machine or
 * a start: there every person is served, slowly. One browser has at most a few dozen calls in progress.
 */
export const usualShedding: Shedding = { eventLoopDelayMaxMs: 2_000, callsInProgressMax: 100 };
const busyRetrySeconds = 5;

/** Refuses calls of this scope while more of them are in progress than the event loop can serve. */
export async function shedOverload(
  scope: FastifyInstance,
  { eventLoopDelayMaxMs, callsInProgressMax }: Shedding,
): Promise<void> {
  let inProgress = 0;
  scope.addHook('onRequest', (_request, reply, done) => {
    inProgress += 1;
    // Also if the caller left before the answer.
    reply.raw.once('close', () => {
      inProgress -= 1;
    });
    done();
  });
  await scope.register(underPressure, {
    maxEventLoopDelay: eventLoopDelayMaxMs,
    pressureHandler: async () => {
      if (inProgress > callsInProgressMax) throw busy();
    },
  });
}

function busy(): AppError {
  return new AppError('UNAVAILABLE', 'We are very busy just now. Try again in a few seconds.', {
    retryAfterSeconds: busyRetrySeconds,
  });
}
