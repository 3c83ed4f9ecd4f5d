/**
 * The yardstick: a bare Fastify that does one SELECT or one INSERT on the same database, and nothing else.
 * Usage: node tests/bench/bare-server.ts PORT DATABASE_CONFIG_JSON
 */
import fastify from 'fastify';
import pg from 'pg';

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
await app.listen({ host: '127.0.0.1', port: Number(port) });
process.once('SIGTERM', () => void app.close().then(() => pool.end()));
