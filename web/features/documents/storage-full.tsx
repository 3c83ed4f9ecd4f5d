import { Banner } from '#web/components/ui/banner.tsx';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { storageNote } from './document-list.rules.ts';

/** Note that the storage is full, with the used amount and the next step. */
export function StorageFull({ storage }: { storage: { current: number; limit: number } }) {
  return (
    <Banner
      tone="bad"
      action={
        <ButtonLink variant="text" size="small" href="/account">
          Upgrade
        </ButtonLink>
      }
    >
      Your storage is full {storageNote(storage)}. Upgrade your plan, or delete what you no longer need. Everything
      stored is safe.
    </Banner>
  );
}
