import { Link } from 'wouter';
import { recentlyDeletedDays } from '#shared/rules/retention.ts';

/** Note under a list of the vault about recently deleted items. */
export function DeletedNote() {
  return (
    <p className="small quiet">
      What you delete can be taken back for {recentlyDeletedDays} days, under{' '}
      <Link href="/recently-deleted">Recently deleted</Link>.
    </p>
  );
}
