import { Link } from 'wouter';
import { Page } from '#web/components/layout/page.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { findGuide } from '#web/content/guidance/guides.ts';
import { premiumTemplates } from '#web/content/premium-templates.ts';
import { templates } from '#web/content/templates.ts';
import { vaultHeadings } from '#web/content/vault-headings.ts';
import { ChecklistsPanel } from '#web/features/guidance/checklists-panel.tsx';
import { GuidesPanel } from '#web/features/guidance/guides-panel.tsx';
import { HelpTabs } from '#web/features/guidance/help-tabs.tsx';
import { TemplatesPanel } from '#web/features/guidance/templates-panel.tsx';
import { type FeatureAccess, useAccess } from '#web/features/guidance/use-access.ts';
import { useHash } from '#web/features/guidance/use-hash.ts';
import { KeysCard } from '#web/features/keys/keys-card.tsx';
import '#web/styles/reading-pages.css';
import '#web/features/messages/list.css';
import '#web/features/guidance/guidance.css';

/** Checklists, templates and guides; the questions are a page of their own. */
export function HelpPage() {
  const hash = useHash();
  const checklists = useAccess('checklists');
  const templatesAccess = useAccess('templates');
  const premiumAccess = useAccess('premiumTemplates');
  const guide = findGuide(hash);
  const isTemplate = [...templates, ...premiumTemplates].some(({ id }) => id === hash);
  const named = guide ? 'guidance' : isTemplate ? 'templates' : tabIds.find((id) => id === hash);
  const selectedId = named ?? firstTab(checklists);
  const isLoading = selectedId === undefined || templatesAccess === 'unknown';
  return (
    <Page {...vaultHeadings['/help']}>
      {isLoading ? (
        <SkeletonRows rows={3} label="Loading help" />
      ) : (
        <HelpTabs
          selectedId={selectedId}
          tabs={[
            {
              id: 'checklists',
              title: 'Checklists',
              needsUpgrade: isMissing(checklists),
              content: <ChecklistsPanel access={checklists} />,
            },
            {
              id: 'templates',
              title: 'Templates',
              needsUpgrade: isMissing(templatesAccess),
              content: <TemplatesPanel access={templatesAccess} premiumAccess={premiumAccess} hash={hash} />,
            },
            {
              id: 'guidance',
              title: 'Guidance',
              needsUpgrade: false,
              content: <GuidesPanel guide={guide} />,
            },
          ]}
        />
      )}
      {isLoading ? null : (
        <KeysCard>
          <p>
            Keys never act while you type. You can turn them off under <Link href="/privacy">Privacy & Security</Link>.
          </p>
        </KeysCard>
      )}
    </Page>
  );
}

const tabIds = ['checklists', 'templates', 'guidance'] as const;

/** The tab that is shown when none is named; undefined until it is known what the person may use. */
function firstTab(checklists: FeatureAccess): (typeof tabIds)[number] | undefined {
  if (checklists === 'unknown') return undefined;
  return checklists === 'granted' ? 'checklists' : 'guidance';
}

function isMissing(access: FeatureAccess): boolean {
  return access === 'missing' || access === 'visitor';
}
