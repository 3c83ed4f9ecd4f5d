import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import { AppError } from '#shared/contract/errors.ts';
import { networkBucket } from '../rate-limits.rules.ts';

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
/** Part of `callsInProgressMax` that one network may have in progress before it is refused. */
const shareOfNetwork = 0.3;
/** Above `callsInProgressMax` times this, every further call is refused, from any network. */
const crowdFactor = 10;
const busyRetrySeconds = 5;

/**
 * Refuses calls of this scope while more of them are in progress than the event loop can serve. Those of a network with
 * many calls are refused first, so that one client with a thousand calls does not shut out the others.
 */
export async function shedOverload(
  scope: FastifyInstance,
  { eventLoopDelayMaxMs, callsInProgressMax }: Shedding,
): Promise<void> {
  let inProgress = 0;
  const ofNetworks = new Map<string, number>();
  const ofNetwork = (network: string) => ofNetworks.get(network) ?? 0;
  scope.addHook('onRequest', (request, reply, done) => {
    const network = networkBucket(request.ip);
    inProgress += 1;
    ofNetworks.set(network, ofNetwork(network) + 1);
    // Also if the caller left before the answer.
    reply.raw.once('close', () => {
      inProgress -= 1;
      if (ofNetwork(network) > 1) ofNetworks.set(network, ofNetwork(network) - 1);
      else ofNetworks.delete(network);
    });
    done();
  });
  await scope.register(underPressure, {
    maxEventLoopDelay: eventLoopDelayMaxMs,
    pressureHandler: async ({ ip }) => {
      if (inProgress <= callsInProgressMax) return;
      const hasMany = ofNetwork(networkBucket(ip)) > callsInProgressMax * shareOfNetwork;
      if (hasMany || inProgress > callsInProgressMax * crowdFactor) throw busy();
    },
  });
}

function busy(): AppError {
  return new AppError('UNAVAILABLE', 'We are very busy just now. Try again in a few seconds.', {
    retryAfterSeconds: busyRetrySeconds,
  });
}
