import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { isNearLimit, unlimited } from '#shared/rules/plans.ts';
import { ProgressBar } from '#web/components/ui/progress-bar.tsx';
import { isoDay, longDate } from '#web/lib/format.ts';
import type { DashboardStats, PlanLimits } from './dashboard-data.ts';
import { megabytes } from './megabytes.ts';
import './home.css';

type StatCardsProps = {
  stats: DashboardStats;
  limits: PlanLimits;
  /** First names of the confirmed contacts; undefined until loaded. */
  confirmedNames: readonly string[] | undefined;
};

/** Holds the place of a sentence that is still to come. */
const emptyLine = '\u00a0';

/** The four figures of the vault. */
export function StatCards({ stats, limits, confirmedNames }: StatCardsProps) {
  const { messages, storage } = limits;
  return (
    <section className="tally" aria-label="Your vault">
      <div className="cards">
        <Stat href="/messages" label="Messages" figure={stats.activeMessages} unit="active">
          <MessageUse messages={messages} />
        </Stat>
        <Stat href="/documents" label="Storage" figure={megabytes(stats.storageUsedMB)} unit="MB">
          <span>
            {megabytes(storage.current)} of {storage.limit} MB used
          </span>
          <ProgressBar
            value={storage.current}
            max={storage.limit}
            label={`${megabytes(storage.current)} of ${storage.limit} MB used`}
            tone={isNearLimit(storage) ? 'warn' : 'plain'}
          />
        </Stat>
        <Stat href="/contacts" label="Trusted Contacts" figure={stats.trustedContacts} unit="active">
          <span>{confirmedNames ? consentSentence(stats.trustedContacts, confirmedNames) : emptyLine}</span>
        </Stat>
        <Stat
          label="Last Check-in"
          figure={stats.lastCheckinDays === 0 ? 'Today' : stats.lastCheckinDays}
          unit={stats.lastCheckinDays === 0 ? '' : stats.lastCheckinDays === 1 ? 'day ago' : 'days ago'}
        >
          <time dateTime={isoDay(stats.lastCheckinAt)}>{longDate(stats.lastCheckinAt)}</time>
        </Stat>
      </div>
    </section>
  );
}

/** Number of confirmed contacts: only they would be asked. */
export function consentSentence(active: number, names: readonly string[]): string {
  const [first] = names;
  if (active === 0) return 'Nobody named yet';
  if (first === undefined) return 'Nobody has said yes yet';
  if (active === 1) return `${first} has said yes`;
  return `${names.length} of ${active} ${names.length === 1 ? 'has' : 'have'} said yes`;
}

function MessageUse({ messages }: Pick<PlanLimits, 'messages'>) {
  if (messages.limit === unlimited) return <span>{messages.current} used, Unlimited</span>;
  const use = `${messages.current} of ${messages.limit} used`;
  return (
    <>
      <span>{use}</span>
      <ProgressBar
        value={messages.current}
        max={messages.limit}
        label={`${use}: messages`}
        tone={isNearLimit(messages) ? 'warn' : 'plain'}
      />
    </>
  );
}

type StatProps = { href?: string; label: string; figure: ReactNode; unit: string; children: ReactNode };

function Stat({ href, label, figure, unit, children }: StatProps) {
  const inside = (
    <>
      <span className="stat-l">{label}</span>
      <span className="stat-n">
        {figure} <small>{unit}</small>
      </span>
      <span className="stat-d">{children}</span>
    </>
  );
  if (href === undefined) return <div className="stat">{inside}</div>;
  return (
    <Link className="stat" href={href}>
      {inside}
    </Link>
  );
}
