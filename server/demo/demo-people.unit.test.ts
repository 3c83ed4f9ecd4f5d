import Fastify from 'fastify';
import { expect, it } from 'vitest';
import type { App } from '#server/app.ts';
import { createDemoPeople, type DemoPerson } from './demo-people.ts';

const olive: DemoPerson = { email: 'olive@demo.example', userId: 'olive', cookie: 'session=1' };

/** Answers with these statuses, one after the other. The last one stays. */
function peopleAnswered(...statuses: number[]) {
  const received: unknown[] = [];
  const app = Fastify();
  app.put('/api/release/away', (request, reply) => {
    received.push(request.body);
    reply.header('retry-after', '0').code(statuses[Math.min(received.length, statuses.length) - 1] ?? 200);
    return reply.send({});
  });
  return { people: createDemoPeople({} as App, app, { tick: async () => new Map() }), received };
}

it('a request of the demonstration that a busy service refuses is sent again', async () => {
  const { people, received } = peopleAnswered(503, 503, 200);
  await people.goAway(olive, '2027-01-28');
  expect(received).toEqual([{ until: '2027-01-28' }, { until: '2027-01-28' }, { until: '2027-01-28' }]);
});

it('the demonstration ends with the answer of a service that stays busy, and of any other refusal', async () => {
  const busy = peopleAnswered(503);
  await expect(busy.people.goAway(olive, '2027-01-28')).rejects.toThrow('was answered 503');
  expect(busy.received).toHaveLength(60);
  const wrong = peopleAnswered(400);
  await expect(wrong.people.goAway(olive, '2027-01-28')).rejects.toThrow('was answered 400');
  expect(wrong.received).toHaveLength(1);
});
