/**
 * Two yardsticks on the same database. `/rows` is a bare Fastify that does one SELECT or one INSERT. `/sealed-rows` is the
 * ceiling for the service: it opens or seals as many values, and chains one line to a log as it saves.
 *
 * Usage: node tests/bench/bare-server.ts PORT DATABASE_CONFIG_JSON
 */
import { createHash, randomUUID } from 'node:crypto';
import fastify from 'fastify';
import pg from 'pg';
import { keyObject, newKey, sealBytes, unsealBytes } from '#server/platform/crypto/envelope.ts';

const [port, config] = process.argv.slice(2);
const pool = new pg.Pool({ ...(JSON.parse(config ?? '{}') as pg.PoolConfig), max: 20 });
await pool.query(
  'create table if not exists bench_rows (id bigserial primary key, title text, content text, at timestamptz default now())',
);
await pool.query(
  "insert into bench_rows (title, content) select 'Title ' || n, repeat('word ', 40) from generate_series(1, 10) n",
);

const app = fastify();
app.get('/rows', async () => {
  const { rows } = await pool.query({
    name: 'bench_rows',
    text: 'select id, title, content, at from bench_rows order by id limit 10',
  });
  return rows;
});
app.post<{ Body: { title: string; content: string } }>('/rows', async (request, reply) => {
  const { rows } = await pool.query({
    name: 'bench_insert',
    text: 'insert into bench_rows (title, content) values ($1, $2) returning id, title, content, at',
    values: [request.body.title, request.body.content],
  });
  return reply.code(201).send(rows[0]);
});
const key = keyObject(newKey());
const owner = { ownerId: randomUUID(), keyVersion: 1 };
const columns = ['title', 'content', 'recipient'] as const;
/** As many chains as owners save at once, so that no two wait for one head. */
const chains = 128;
let nextChain = 0;

await pool.query(
  'create table if not exists bench_sealed (id uuid primary key, title bytea, content bytea, recipient bytea, at timestamptz default now())',
);
await pool.query('create table if not exists bench_heads (chain int primary key, hash bytea not null)');
await pool.query(
  'create table if not exists bench_lines (id bigserial primary key, chain int, hash bytea, at timestamptz)',
);
await pool.query("insert into bench_heads select n, '' from generate_series(0, $1) n on conflict do nothing", [chains]);

function sealedRow(title: string, content: string) {
  const id = randomUUID();
  const text = { title, content, recipient: 'nell@ashworth.example' };
  const seal = (column: (typeof columns)[number]) =>
    sealBytes(key, owner, { table: 'bench_sealed', column, rowId: id }, Buffer.from(text[column]));
  return [id, ...columns.map(seal)];
}

const insertSealed = {
  name: 'bench_insert_sealed',
  text: 'insert into bench_sealed (id, title, content, recipient) values ($1, $2, $3, $4)',
};
for (let row = 0; row < 10; row += 1) {
  await pool.query({ ...insertSealed, values: sealedRow(`Title ${row}`, 'word '.repeat(40)) });
}

app.get('/sealed-rows', async () => {
  const { rows } = await pool.query<{ id: string; at: Date } & Record<(typeof columns)[number], Buffer>>({
    name: 'bench_sealed',
    text: 'select id, title, content, recipient, at from bench_sealed order by at limit 10',
  });
  return rows.map(({ id, at, ...sealed }) => {
    const open = (column: (typeof columns)[number]) =>
      unsealBytes(key, owner, { table: 'bench_sealed', column, rowId: id }, sealed[column]).toString();
    return { id, at, title: open('title'), content: open('content'), recipient: open('recipient') };
  });
});

app.post<{ Body: { title: string; content: string } }>('/sealed-rows', async (request, reply) => {
  const row = sealedRow(request.body.title, request.body.content);
  nextChain = (nextChain + 1) % chains;
  const chain = nextChain;
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<{ hash: Buffer }>({
      name: 'bench_head',
      text: 'select hash from bench_heads where chain = $1 for update',
      values: [chain],
    });
    await client.query({ ...insertSealed, values: row });
    const hash = createHash('sha256')
      .update(rows[0]?.hash ?? '')
      .update(String(row[0]))
      .digest();
    await client.query({
      name: 'bench_line',
      text: 'with head as (update bench_heads set hash = $2 where chain = $1) insert into bench_lines (chain, hash, at) values ($1, $2, now())',
      values: [chain, hash],
    });
    await client.query('commit');
    return reply.code(201).send({ id: row[0], title: request.body.title, content: request.body.content });
  } finally {
    client.release();
  }
});
await app.listen({ host: '127.0.0.1', port: Number(port) });
process.once('SIGTERM', () => void app.close().then(() => pool.end()));
