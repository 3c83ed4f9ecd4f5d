import { useId, useState } from 'react';
import type { TrusteeRelationship, TrusteeSummary } from '#shared/contract/release/trustee.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { isoDay, longDate } from '#web/lib/format.ts';
import { toast } from '#web/lib/toast.ts';
import { AliveAnswer } from './alive-answer.tsx';
import { OwnerBadge } from './owner-list.tsx';
import { TriggerDialog } from './trigger-dialog.tsx';
import {
  awayWords,
  firstName,
  fullName,
  ifYouMonitor,
  ifYouTrigger,
  progressWords,
  triggerObstacle,
  unprovenObstacle,
} from './trustee-words.ts';
import { useWithdrawal } from './use-trigger.ts';

/** The owner, and the day since which this person is their trustee. */
export function OwnerFacts({ owner }: { owner: TrusteeRelationship }) {
  return (
    <dl className="facts">
      <dt>Account holder</dt>
      <dd>
        <bdi>{fullName(owner)}</bdi>
      </dd>
      <dt>You are their</dt>
      <dd>
        <bdi>{owner.trustedContactRelationship ?? 'Relationship not given'}</bdi>
      </dd>
      <dt>Trustee since</dt>
      <dd>
        <time dateTime={isoDay(owner.createdAt)}>{longDate(owner.createdAt)}</time>
      </dd>
      <dt>Status</dt>
      <dd>
        <OwnerBadge isActive={owner.isActive} />
      </dd>
    </dl>
  );
}

/** Numbers of messages. A trustee never sees a title here. */
export function MessageCounts({ summary }: { summary: TrusteeSummary }) {
  return (
    <dl className="trustee-counts">
      <div>
        <dt>Total messages</dt>
        <dd className="stat-n">{summary.messageCount}</dd>
      </div>
      <div>
        <dt>Ready to send</dt>
        <dd className="stat-n">{summary.readyCount}</dd>
      </div>
    </dl>
  );
}

type DecisionProps = {
  owner: TrusteeRelationship;
  summary: TrusteeSummary;
  /** True if this trustee has proved that they read their mailbox. Only then can they trigger a release. */
  isMailboxProven: boolean;
  isDeciding: boolean;
  onDeciding: (isDeciding: boolean) => void;
};

/** The trustee's choice, or the state of the release that they have confirmed. */
export function Decision({ owner, summary, isMailboxProven, isDeciding, onDeciding }: DecisionProps) {
  const [refusal, setRefusal] = useState<string | null>(null);
  const name = firstName(owner);
  const progress = progressWords(name, summary);
  const away = awayWords(name, summary);
  return (
    <>
      {away ? <Banner>{away}</Banner> : null}
      {refusal ? (
        <Banner tone="bad" role="alert">
          {refusal}
        </Banner>
      ) : null}
      {progress ? (
        <>
          <Banner tone={summary.release.state === 'released' ? 'ok' : 'warn'}>{progress}</Banner>
          {summary.release.canWithdraw ? <Withdrawal owner={owner} onRefused={setRefusal} /> : null}
        </>
      ) : (
        <Choice
          name={name}
          summary={summary}
          obstacle={isMailboxProven ? triggerObstacle(name, summary) : unprovenObstacle}
          onTrigger={() => {
            setRefusal(null);
            onDeciding(true);
          }}
        />
      )}
      {summary.release.canSayAlive ? <AliveAnswer owner={owner} onRefused={setRefusal} /> : null}
      {isDeciding ? (
        <TriggerDialog
          owner={owner}
          summary={summary}
          onClose={(sentence) => {
            setRefusal(sentence);
            onDeciding(false);
          }}
        />
      ) : null}
    </>
  );
}

function Withdrawal({ owner, onRefused }: { owner: TrusteeRelationship; onRefused: (sentence: string) => void }) {
  const { isBusy, withdraw } = useWithdrawal(onRefused);
  return (
    <Card as="section" className="answer" aria-label="Your confirmation">
      <p>You can withdraw your confirmation until the first letter has left. You can confirm again later.</p>
      <div className="btns btns-stack">
        <Button variant="secondary" busy={isBusy} onClick={() => withdraw(owner.ownerUserId)}>
          {isBusy ? 'Withdrawing…' : 'Withdraw my confirmation'}
        </Button>
      </div>
    </Card>
  );
}

type ChoiceProps = { name: string; summary: TrusteeSummary; obstacle: string | null; onTrigger: () => void };

function Choice({ name, summary, obstacle, onTrigger }: ChoiceProps) {
  const obstacleId = useId();
  return (
    <>
      <div className="outcomes">
        <Outcome title="If you continue monitoring" sentences={ifYouMonitor(name)} />
        <Outcome title="If you trigger the release" sentences={ifYouTrigger(name, summary)} isGrave />
      </div>
      <Card as="section" className="answer" aria-label="Your decision">
        <p>
          <b>A release cannot be undone.</b> Trigger it only if you know that {name} has died or can’t act.
        </p>
        <div className="btns btns-stack">
          <Button variant="secondary" onClick={() => sayNothingChanged(name)}>
            Continue Monitoring
          </Button>
          <Button
            variant="danger-outline"
            disabled={obstacle !== null}
            aria-describedby={obstacleId}
            onClick={onTrigger}
          >
            Trigger Message Release
          </Button>
        </div>
        <p className="small quiet" id={obstacleId}>
          {obstacle ?? 'We ask you again before anything is sent.'}
        </p>
      </Card>
    </>
  );
}

function sayNothingChanged(name: string): void {
  toast({
    title: 'Monitoring Continues',
    description: `Nothing has changed and nothing is sent to anybody for ${name}.`,
  });
}

function Outcome({ title, sentences, isGrave = false }: { title: string; sentences: string[]; isGrave?: boolean }) {
  return (
    <section className={isGrave ? 'outcome bad' : 'outcome'} aria-label={title}>
      <h3 className="h-card">{title}</h3>
      <ul>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}
