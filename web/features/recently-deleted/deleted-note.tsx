import { Link } from 'wouter';
import { recentlyDeletedDays } from '#shared/rules/retention.ts';

/** Under a list of the vault: what became of what is not in it any more. */
export function DeletedNote() {
  return (
    <p className="small quiet">
      What you delete can be taken back for {recentlyDeletedDays} days, under{' '}
      <Link href="/recently-deleted">Recently deleted</Link>.
    </p>
  );
}
