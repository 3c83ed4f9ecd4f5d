import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { checklists } from '#web/content/checklists.ts';
import { useSession } from '#web/lib/session.ts';
import { shownItems } from './checklist.rules.ts';
import { ChecklistCard } from './checklist-card.tsx';
import { ChecklistProgress } from './checklist-progress.tsx';
import { UpgradeNote } from './upgrade-note.tsx';
import type { FeatureAccess } from './use-access.ts';
import { useChecklists } from './use-checklists.ts';

/** Five lists of things to put in order. */
export function ChecklistsPanel({ access }: { access: FeatureAccess }) {
  const { isVerified } = useSession();
  const hasAccess = access === 'granted';
  const { states, change, isLoaded, isBehind, damaged, retry } = useChecklists({ hasAccess });
  if (!isLoaded || access === 'unknown') return <SkeletonRows rows={8} label="Loading checklists" />;
  const next = checklists.find(({ id, items }) =>
    shownItems(items, states[id]).some(({ isCompleted }) => !isCompleted),
  )?.id;
  return (
    <>
      <p className="panel-lead">
        {hasAccess
          ? `Tick what is done. Add what is missing. Everything is kept in this browser${isVerified ? ' and in your account' : ', and in your account once your email is verified'}.`
          : 'What to put in order while you can.'}
      </p>
      {hasAccess ? <ChecklistProgress states={states} /> : null}
      <UpgradeNote access={access} words="Ticking and changing the lists starts with the Essential plan." />
      {isBehind ? (
        <Banner
          action={
            <Button variant="text" size="small" onClick={retry}>
              Try again
            </Button>
          }
        >
          We could not save your checklists to your account. They are kept in this browser.
        </Banner>
      ) : null}
      <div className="checklists">
        {checklists.map((category) => (
          <ChecklistCard
            key={category.id}
            category={category}
            state={states[category.id]}
            isDamaged={damaged.includes(category.id)}
            isOpenAtFirst={category.id === next}
            onChange={hasAccess ? (state) => change(category.id, state) : undefined}
          />
        ))}
      </div>
    </>
  );
}
