import { hasFeature, type PlanName } from '#shared/rules/plans.ts';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import './dashboard.css';

/** Shown if the plan has no document vault. */
export function VaultTeaser({ plan }: { plan: PlanName }) {
  if (hasFeature(plan, 'documentVault')) return null;
  return (
    <Card as="section" className="teaser" aria-labelledby="vault-teaser">
      <div>
        <h2 className="h-card" id="vault-teaser">
          Document Vault
        </h2>
        <p className="quiet">
          Keep wills, policies and photographs beside your messages, with the Essential, Premium and Lifetime plans.
        </p>
      </div>
      <ButtonLink variant="secondary" href="/account">
        See the plans
      </ButtonLink>
    </Card>
  );
}
