import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { bodyOf } from '#tests/support/everkept-world.ts';
import { contractRoutes } from '#tests/support/routes.ts';

/**
 * One character that NFKC makes eighteen. Normalising a whole request of it holds the event loop for seconds, so a field
 * is normalised after its length is judged.
 */
const longText = '\ufdfa'.repeat(300_000);
/** Far more than any address, name or password has; the longest fields that are normalised are the words of a complaint. */
const normalisedLengthMax = 5_000;

const anyName = new Proxy({}, { get: () => 'A'.repeat(43) });
const person = { email: 'ann@people.example', password: 'a bag of eleven limes' };
const world = { owner: person, stranger: person, tokens: anyName, ids: anyName } as Parameters<typeof bodyOf>[1];

type JsonSchema = { type?: string; properties?: Record<string, JsonSchema>; anyOf?: JsonSchema[]; $ref?: string };

afterEach(() => vi.restoreAllMocks());

/** Names of the fields of a body, those of each of its forms. */
function fieldsOf(schema: JsonSchema): string[] {
  return [...Object.keys(schema.properties ?? {}), ...(schema.anyOf ?? []).flatMap(fieldsOf)];
}

/** Bodies with the long text in one field, and one with it in all. */
function longBodies(name: string, schema: z.ZodType): unknown[] {
  const fields = fieldsOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema);
  const valid = bodyOf(name, world) ?? {};
  const all = Object.fromEntries(fields.map((field) => [field, longText]));
  return [...fields.map((field) => ({ ...valid, [field]: longText })), all];
}

test('no field of a body is normalised before its length is judged', () => {
  const normalize = vi.spyOn(String.prototype, 'normalize');
  const tooLong = new Set<string>();
  let bodies = 0;
  for (const { name, route } of contractRoutes) {
    const schema = route.body ?? route.form;
    if (!schema) continue;
    for (const body of longBodies(name, schema)) {
      normalize.mockClear();
      schema.safeParse(body);
      bodies += 1;
      const longest = Math.max(0, ...normalize.mock.contexts.map((text) => String(text).length));
      if (longest > normalisedLengthMax) tooLong.add(`${name}: ${Object.keys(body as object).join()}`);
    }
  }
  expect(bodies).toBeGreaterThan(200);
  expect([...tooLong]).toEqual([]);
});
