import { sql } from 'drizzle-orm';

/**
 * Number of owners per state, for those with an open silence or request. Counted from rows alone. An owner counts as
 * `warned` once the last reminder is written; the owner's own page waits for its acceptance.
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
