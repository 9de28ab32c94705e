/**
 * Names of services that hand out keys. Near such a name a random value is a key more often than not: `algolia = "..."`.
 * The short ones count as whole words only.
 */
const LONG = `
abuseipdb accuweather activecampaign adafruit adobe adyen aftership agora airbrake airship airtable airvisual aiven
alchemy algolia alibaba alienvault aliyun alphavantage amadeus amplitude anthropic apideck apify appdynamics
appfollow appoptics appsflyer appsmith artifactory asana assemblyai atlassian auth0 autodesk avalara aylien azure
backblaze bamboohr baremetrics basecamp bigcommerce binance bintray bitbucket bitfinex bitly bitmex
bitrise bittrex blogger braintree braze brevo browserstack bugsnag buildkite bunnycdn calendly
campaignmonitor cannyio capsulecrm cashfree censys chargebee chartmogul circleci cisco clarifai clearbit
clickhouse clickup clicksend cloudconvert cloudflare cloudinary cloudsmith cockroach codacy codeclimate codecov
cohere coinapi coinbase coinlib coinmarket confluent contentful contentstack convertkit couchbase cratesio crowdin
crowdstrike cryptocompare currencylayer customerio dailymotion databricks datadog datagov deepgram deepl deepseek
descope detectify digitalocean discord discourse disqus docusign doppler dribbble droneci
dropbox duffel dynatrace easypost ebay elevenlabs emailoctopus eventbrite expensify exchangerate facebook
fastly fastspring fauna figma filestack finicity finnhub firebase fireworks fivetran flickr flutterwave
flyio foursquare frameio freshbooks freshdesk freshsales freshworks fullcontact fullstory geocode geoipify
giphy github gitlab gitter gmail gocardless godaddy goodreads google graphhopper grafana groq gumroad hashicorp helpcrunch helpscout heroku hetzner honeybadger honeycomb hootsuite hotjar hubspot huggingface hunterio
hypertrack ibmcloud iconfinder infobip infracost infura instabot instagram instana intercom ipapi ipdata
ipgeolocation ipinfo ipstack jenkins jfrog jira jumpcloud kaggle keenio keycloak kickbox klarna klaviyo kraken
kucoin languagetool launchdarkly lemlist lexoffice linkedin linked_in linode livechat lobcom
loggly logdna logentries logz lokalise looker magento mailboxlayer mailchimp mailerlite mailersend mailgun
mailjet mailtrap mandrill mapbox mapquest marketo mattermost maxmind mediastack mercadopago meraki messagebird
metaapi metaapi mezmo minio mistral mixpanel monday mongodb moosend moralis mparticle muckrack netlify
neutrinoapi newrelic newrelic newsapi nexmo ngrok notion npmjs nuget numverify nutritionix nytimes octopus okta
onedrive onelogin onesignal onfleet openai opencage openrouter openshift openweather opsgenie optimizely outbrain pagarme pagerduty pandadoc papertrail parsehub paypal paystack perplexity pexels
pinata pinecone pingdom pinterest pipedream pipedrive pixabay plaid planetscale plivo podio postgrid posthog postman postmark privateai productboard pubnub pulumi pusher qualtrics quickbase
quickbooks rabbitmq rackspace railway rapid7 rapidapi razorpay recruitee recurly reddit redhat
redis removebg restpack revenuecat ringcentral rollbar rootly rubygems salesforce salesloft
samsara sanity saucelabs scaleway scalr scraping securitytrails semaphore semrush sendbird
sendgrid sendinblue sendowl sentinelone sentry serpapi serpstack servicenow settlemint shippo shodan shopify sidekiq signalwire sinch sirv slack smartling smartsheet smartystreets snipcart snowflake snyk sonarcloud
sonarqube sonar soundcloud sourcegraph sparkpost spotify splunk squarespace squareup stability stackhawk stackpath
statuscake statuspage storyblok strava stripe sumologic supabase surveymonkey synadia tailscale tatum tavily
teamcity telegram telegr telnyx tencent terraform textmagic ticketmaster tiktok todoist togetherai
tomtom tradier travis trello turnstile twilio twitch twitter typeform ubidots unsplash upcloud
uplead uptimerobot urlscan userstack vercel vimeo virustotal vonage vultr wakatime walmart webex webflow
wepay whatsapp wistia woocommerce wordnik workos wrike yandex yelp zapier zendesk zenserp zerobounce zeplin
zoho zonka zoomus zulip`;
const SHORT = `aws dropbox ebay elastic etsy gcp jira linear lob mux neon ovh plaid resend segment square sumo trello vault wix xai xero zoom`;

/** By their first four letters (of short ones with what stands around them): one look-up per place instead of 400 tries. */
const START = 4;
let byStart: Map<string, string[]> | null = null;

function names(): Map<string, string[]> {
  const map = new Map<string, string[]>();
  for (const name of [...LONG.trim().split(/\s+/), ...SHORT.split(' ').map((name) => ` ${name} `)]) {
    const start = name.slice(0, START);
    const same = map.get(start);
    if (same === undefined) map.set(start, [name]);
    else same.push(name);
  }
  return map;
}

/** Whether the text names one of them. `written`: the same, with words joined as somebody wrote them. */
export function namesVendor(text: string, written = text): boolean {
  byStart ??= names();
  const known = byStart;
  const plain = ` ${text.toLowerCase().replaceAll(/[^a-z0-9]+/g, ' ')} `;
  for (let at = 0; at + START <= plain.length; at++) {
    const candidates = known.get(plain.slice(at, at + START));
    if (candidates?.some((name) => plain.startsWith(name, at))) return true;
  }
  // `New Relic`, but not `strip event` or `containsEntry`: whole words.
  const words = plain.trim().split(' ');
  const joined = words.some((word, at) => {
    const two = `${word}${words[at + 1] ?? ''}`;
    return isOne(known, two) || isOne(known, `${two}${words[at + 2] ?? ''}`);
  });
  // `hubSpot2024`, `OpenAIProd`: one word, that begins so.
  return joined || (written.toLowerCase().match(/[a-z0-9]+/g) ?? []).some((word) => beginsOne(known, word));
}

type Known = ReadonlyMap<string, readonly string[]>;

function isOne(known: Known, word: string): boolean {
  const plain = word.replace(/(?:s|\d{1,4})$/, '');
  const same = known.get(word.slice(0, START));
  return same !== undefined && (same.includes(word) || same.includes(plain));
}

const beginsOne = (known: Known, word: string): boolean =>
  known.get(word.slice(0, START))?.some((name) => word.startsWith(name)) === true;
