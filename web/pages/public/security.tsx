import { ReadingPage } from '#web/components/layout/reading-page.tsx';
import { SectionList } from '#web/components/ui/prose.tsx';
import { Tabs } from '#web/components/ui/tabs.tsx';
import { securityTabs } from '#web/content/security.ts';

const [first, ...rest] = securityTabs;
const tabOf = ({ id, title, sections }: (typeof securityTabs)[number]) => ({
  id,
  title,
  content: <SectionList sections={sections} />,
});
const tabs = [tabOf(first), ...rest.map(tabOf)] as const;

/** Protection of vaults. */
export function SecurityPage() {
  return (
    <ReadingPage
      title="Security"
      intro="How letters are kept shut until it is time, and how they reach only the people they are for."
    >
      <Tabs label="Parts of this page" tabs={tabs} />
    </ReadingPage>
  );
}
