import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import { awayDaysMax, dayMs } from '#shared/rules/inactivity.ts';
import { NotConfirmedError } from '#web/components/fresh-sign-in/not-confirmed.ts';
import { useFreshSignIn } from '#web/components/fresh-sign-in/use-fresh-sign-in.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { TextField } from '#web/components/ui/field.tsx';
import { ApiError } from '#web/lib/api/api.ts';
import { useChange } from '#web/lib/api/changes.ts';
import { keyOf } from '#web/lib/api/reads.ts';
import { useLeaveWarning } from '#web/lib/drafts/leave-warning.ts';
import { isoDay, longDate } from '#web/lib/format.ts';
import { toast } from '#web/lib/toast.ts';
import './release.css';
import { light } from '#web/lib/api/light-routes.ts';

type GoingAwayProps = Pick<ReleaseOverview, 'awayUntil'>;

/** Until when its owner is away: to say so, to change the day, and to be back at any time. */
export function GoingAway({ awayUntil }: GoingAwayProps) {
  const client = useQueryClient();
  // Nothing typed: the day that is kept is shown, and follows it.
  const [typed, setTyped] = useState<string>();
  const [error, setError] = useState<string>();
  const [nowMs] = useState(() => Date.now());
  const day = typed ?? awayUntil ?? '';
  useLeaveWarning(day !== (awayUntil ?? ''));
  const { run, dialog } = useFreshSignIn('Save the day');
  const save = useChange(light.updateAway, {
    through: run,
    onSuccess: (overview) => {
      setTyped(undefined);
      client.setQueryData(keyOf(light.getRelease), overview);
      client.invalidateQueries();
      // The card itself announces a saved day.
      if (!overview.awayUntil) toast({ title: 'Welcome back', description: 'We count the days from today.' });
    },
    onError: (failed) => {
      if (failed instanceof NotConfirmedError) return;
      setError((failed instanceof ApiError && failed.issues?.[0]?.message) || failed.message);
    },
  });
  const keep = (until: string | null) => {
    setError(undefined);
    if (!save.isPending) save.mutate({ body: { until } });
  };
  const isEnding = save.isPending && save.variables?.body.until === null;
  return (
    <Card as="section" className="settings going-away" id="away" aria-labelledby="away-title">
      <AwayHead awayUntil={awayUntil} />
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (day === '') setError('Choose a day.');
          else keep(day);
        }}
      >
        <TextField
          className="away-day"
          label="Away until"
          type="date"
          min={isoDay(nowMs + dayMs)}
          max={isoDay(nowMs + awayDaysMax * dayMs)}
          value={day}
          error={error}
          hint={`At most ${awayDaysMax} days ahead.`}
          onChange={(event) => setTyped(event.target.value)}
        />
        <div className="btns">
          <Button type="submit" variant="secondary" busy={save.isPending}>
            {save.isPending && !isEnding ? 'Saving…' : 'Save the day'}
          </Button>
          {awayUntil ? (
            <Button variant="text" busy={save.isPending} onClick={() => keep(null)}>
              {isEnding ? 'Saving…' : 'I am back'}
            </Button>
          ) : null}
        </div>
      </form>
      {dialog}
    </Card>
  );
}

/** Saved absence; announces a day that was just saved. */
function AwayHead({ awayUntil }: GoingAwayProps) {
  return (
    <div>
      <h2 className="h-card" id="away-title">
        Going away?
      </h2>
      <p className="quiet" role="status">
        {awayUntil ? awayWords(awayUntil) : askingWords}
      </p>
    </div>
  );
}

const askingWords =
  'On a journey, in hospital, or somewhere without a connection? Tell us until when. We count the days from then, and send you no reminder before.';

function awayWords(awayUntil: string): string {
  return `You told us that you are away until ${longDate(awayUntil)}. We count the days from then, and send you no reminder before. If somebody asks for an early release meanwhile, they are told so, and we try to reach you for at least 14 days.`;
}
