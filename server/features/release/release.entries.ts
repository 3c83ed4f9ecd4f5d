import type { AuditEntry } from '#server/features/audit/record.ts';
import type { Command, Event } from '#server/features/release-core/events.rules.ts';
import type { CommandContext } from '#server/features/release-state/command-context.ts';
import type { LoadedWorld } from '#server/features/release-state/release.store.ts';

type LoggedStep = {
  before: LoadedWorld;
  after: LoadedWorld;
  events: readonly Event[];
  at: Date;
  context?: CommandContext;
};

/** Entries of the audit log for events, one for each that a reader would look for. */
export function entriesOf({ before, after, events, at, context }: LoggedStep): AuditEntry[] {
  const request = after.rows.request ?? before.rows.request;
  const silence = after.rows.silence ?? before.rows.silence;
  const about = request
    ? { resource: 'release_request', resourceId: request.id }
    : { resource: 'release_silence', resourceId: silence?.id ?? before.owner.id };
  return events.flatMap((event) => {
    const action = actionOf(event, context?.command, before);
    if (!action) return [];
    const origin = context?.origin ? { origin: context.origin } : {};
    return [
      { userId: before.owner.id, action: `release.${action}`, ...about, details: detailsOf(event), ...origin, at },
    ];
  });
}

function detailsOf(event: Event): Record<string, unknown> {
  return {
    ...('contactId' in event ? { contactId: event.contactId } : {}),
    ...('why' in event ? { why: event.why } : {}),
    ...('notice' in event && event.notice !== null ? { notice: event.notice } : {}),
  };
}

/** Steps that a reader of the log looks for. `activity.words.ts` has the words for each. */
type StepAction =
  | 'first_reminder'
  | 'last_reminder'
  | 'withdraw_reminder'
  | 'ask'
  | 'contact_asked'
  | 'asked_again'
  | 'emergency_requested'
  | 'trustee_pressed'
  | 'confirmed'
  | 'cancelled'
  | 'said_alive'
  | 'asked_for_news'
  | 'yes_taken_back'
  | 'contact_stepped_down'
  | 'contacts_fewer'
  | 'needed_lowered'
  | 'paused'
  | 'resume'
  | 'hold'
  | 'unhold'
  | 'request_ended'
  | 'returned'
  | 'left_as_it_is'
  | 'account_closing'
  | 'release'
  | 'release_undone'
  | 'released'
  | 'letters_held'
  | 'letters_let_go'
  | 'signed_in_after_delivery'
  | 'signed_in_by_another'
  | 'question_unanswered'
  | 'restored';

/** Awaited mails, with their names in the log. */
const awaited = {
  first_reminder: 'first_reminder',
  last_reminder: 'last_reminder',
  question: 'contact_asked',
  asked: 'owner_asked',
  wait: 'owner_holding',
} as const;

/** Answers of contacts, with their names in the log. */
const answered = { yes: 'confirmed', no: 'cancelled', alive: 'said_alive' } as const;

type EndOfMail = 'accepted' | 'failed' | 'came_back';
type Action = StepAction | `${(typeof awaited)[keyof typeof awaited]}_${EndOfMail}`;

function actionOf(event: Event, command: Command | undefined, before: LoadedWorld): Action | null {
  switch (event.kind) {
    case 'first_reminder_written':
      return 'first_reminder';
    case 'last_reminder_written':
      return 'last_reminder';
    case 'request_opened':
      return event.cause === 'silence' ? 'ask' : null;
    case 'request_taken_over':
      return 'ask';
    case 'contact_asked':
      if (command?.kind === 'emergency') return 'emergency_requested';
      if (event.isForNews) return 'asked_for_news';
      return event.isRepeat ? 'asked_again' : 'contact_asked';
    case 'answer_given':
      if (command?.kind === 'trustee') return 'trustee_pressed';
      return answered[event.says];
    case 'answer_voided':
      return event.isGone ? 'contact_stepped_down' : 'yes_taken_back';
    case 'paused':
      return 'paused';
    case 'asked_anew':
      return 'resume';
    case 'contacts_fewer':
      return 'contacts_fewer';
    case 'needed_lowered':
      return 'needed_lowered';
    case 'wait_began':
      return 'hold';
    case 'wait_left':
      return 'unhold';
    case 'request_ended':
      return event.why === 'owner_back' ? 'returned' : event.why === 'closed' ? 'account_closing' : 'request_ended';
    case 'silence_ended':
      // If a request or a release ended in the same step, its own entry says so.
      return before.world.request || before.world.release ? null : endOfSilence(command);
    case 'released':
      return 'release';
    case 'release_undone':
      return 'release_undone';
    case 'release_done':
      return 'released';
    case 'letters_held':
      return 'letters_held';
    case 'letters_let_go':
      return 'letters_let_go';
    case 'question_opened':
      return 'signed_in_after_delivery';
    case 'question_ended':
      return command?.kind === 'is_not_owner' ? 'signed_in_by_another' : 'question_unanswered';
    case 'release_closed':
      if (command?.kind === 'close') return 'account_closing';
      return event.takesBack ? 'returned' : 'left_as_it_is';
    case 'notice_ended':
      return outcomeAction(event, before);
    case 'notice_bounced':
      return topicAction(event.notice, 'came_back', before);
    case 'windows_began_anew':
      return 'restored';
    case 'notice_withdrawn':
      return before.world.silence?.lastNotice === event.notice && command === undefined ? 'withdraw_reminder' : null;
    default:
      return null;
  }
}

function endOfSilence(command: Command | undefined): Action {
  return command?.kind === 'close' ? 'account_closing' : 'returned';
}

function outcomeAction(event: Extract<Event, { kind: 'notice_ended' }>, before: LoadedWorld): Action | null {
  if (event.outcome === 'withdrawn' || (event.channel === 'text' && event.outcome !== 'accepted')) return null;
  return topicAction(event.notice, event.outcome === 'accepted' ? 'accepted' : 'failed', before);
}

function topicAction(notice: number, end: EndOfMail, { world }: LoadedWorld): Action | null {
  const topic = world.notices.find(({ id }) => id === notice)?.topic;
  return topic !== undefined && isAwaited(topic) ? `${awaited[topic]}_${end}` : null;
}

function isAwaited(topic: string): topic is keyof typeof awaited {
  return topic in awaited;
}
