import { ReadingPage, ReadingPart } from '#web/components/layout/reading-page.tsx';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { SectionList, withLinks } from '#web/components/ui/prose.tsx';
import { Tabs } from '#web/components/ui/tabs.tsx';
import { guideTabs, quickStart } from '#web/content/user-guide.ts';

const [first, ...rest] = guideTabs;
const tabOf = ({ id, title, sections }: (typeof guideTabs)[number]) => ({
  id,
  title,
  content: <SectionList sections={sections} />,
});
const tabs = [tabOf(first), ...rest.map(tabOf)] as const;

/** First steps, and the parts of a vault. */
export function UserGuidePage() {
  return (
    <ReadingPage
      title="User guide"
      intro="Six steps from an empty vault to letters that arrive. You can do the first two today, and the others when you have time."
    >
      <ReadingPart id="quick-start" title="Quick start">
        <ol className="tl quick-start">
          {quickStart.map(({ title, text }) => (
            <li key={title}>
              <h3>{title}</h3>
              <p>{withLinks(text)}</p>
            </li>
          ))}
        </ol>
      </ReadingPart>
      <Tabs label="Parts of the guide" tabs={tabs} />
      <ReadingPart id="next" title="Where to go now">
        <div className="btns btns-stack">
          <ButtonLink href="/register">Create Account</ButtonLink>
          <ButtonLink variant="secondary" href="/trusted-contact-demo">
            See the Contact Portal Demo
          </ButtonLink>
        </div>
      </ReadingPart>
    </ReadingPage>
  );
}
