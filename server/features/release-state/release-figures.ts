import { sql } from 'drizzle-orm';

/**
 * How many owners stand where, of those whose silence is followed up or about whom people are asked: `state` and `owners`.
 * Counted by rows alone, so an owner is `warned` as soon as their last reminder is written; their own page waits until it
 * was taken.
 */
export const countedByState = sql`
  select case
      when request.done_at is not null then 'released'
      when request.released_at is not null then 'releasing'
      when request.id is not null then request.phase
      when silence.last_notice is not null then 'warned'
      else 'reminded'
    end as state, count(*)::int as owners
  from (select user_id, last_notice from release_silences where closed_at is null) silence
    full join (select id, user_id, phase, released_at, done_at from release_requests where closed_at is null) request
      on request.user_id = silence.user_id
  group by 1 order by 1`;
