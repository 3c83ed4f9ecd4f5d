import { ButtonLink } from '#web/components/ui/button.tsx';
import { Drawing } from '#web/components/ui/drawing.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import { protections, questions, steps, story, supportHours } from '#web/content/landing.ts';
import { supportEmail } from '#web/lib/support.ts';

export function Story() {
  return (
    <section className="band band-blotter story" id="about" aria-labelledby="about-h">
      <div className="wrap split">
        <header>
          <h2 id="about-h">Why we made a place for letters</h2>
          <Drawing name="seal" />
        </header>
        <div className="prose">
          {story.map((paragraph) => (
            <p key={paragraph}>{paragraph}</p>
          ))}
          <p className="it quiet">The founder of Everkept</p>
        </div>
      </div>
    </section>
  );
}

export function HowItWorks() {
  return (
    <section className="band" id="how" aria-labelledby="how-h">
      <div className="wrap">
        <h2 id="how-h">How it works</h2>
        <ol className="steps">
          {steps.map(({ drawing, title, text }) => (
            <li key={title}>
              <Drawing name={drawing} />
              <h3>{title}</h3>
              <p>{text}</p>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}

export function Questions() {
  return (
    <section className="band band-blotter faq" id="questions" aria-labelledby="faq-h">
      <div className="wrap split">
        <header>
          <h2 id="faq-h">Questions people ask first</h2>
          <p>
            <ButtonLink variant="text" href="/faq">
              View All FAQs
            </ButtonLink>
          </p>
        </header>
        <div>
          {questions.map(({ question, answer }, index) => (
            <details key={question} open={index === 0}>
              <summary>
                {question}
                <Icon name="chevron-down" />
              </summary>
              <p>{answer}</p>
            </details>
          ))}
        </div>
      </div>
    </section>
  );
}

export function Trust() {
  return (
    <section className="band cloth on-cloth trust" aria-labelledby="trust-h">
      <div className="wrap split">
        <header>
          <h2 id="trust-h">Trust &amp; Security</h2>
          <Drawing name="key" />
        </header>
        <dl>
          {protections.map(({ title, text }) => (
            <div key={title}>
              <dt>{title}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  );
}

export function Support() {
  return (
    <section className="band" aria-labelledby="sup-h">
      <div className="wrap support">
        <div>
          <h2 id="sup-h">Ask a person</h2>
          <p className="lead">
            A person answers, usually within one working day. If someone has died and you need help with their letters,
            say so in the subject. We read those first.
          </p>
          <dl className="contact">
            <dt>Email</dt>
            <dd>
              <a href={`mailto:${supportEmail}`}>{supportEmail}</a>
            </dd>
            <dt>Hours</dt>
            <dd>{supportHours}</dd>
          </dl>
        </div>
        <Drawing name="inkwell" />
      </div>
    </section>
  );
}
