/**
 * Names of services that issue keys. Near such a name a random value is usually a key: `algolia = "..."`. Short ones
 * count only as whole words.
 */
const LONG = `
abstractapi abuseipdb accuweather activecampaign adafruit adobe adyen aftership agora airbrake airship airtable
airvisual aiven alchemy algolia alibaba alienvault aliyun alphavantage amadeus amplitude anthropic apideck apify
appcues appdynamics appfollow appoptics appsflyer appsmith apptentive artifactory asana assemblyai atlassian auth0
autodesk avalara aylien azure backblaze bamboohr baremetrics basecamp bigcommerce binance bintray bitbucket bitfinex
bitly bitmex bitrise bittrex blazemeter blogger braintree braze brevo browserstack bugsnag buildkite bunnycdn
buttercms calendly campaignmonitor cannyio capsulecrm cashfree censys chargebee chartmogul circleci cisco clarifai
clearbit clickhouse clicksend clickup cloudconvert cloudflare cloudinary cloudsmith cockroach codacy codeclimate
codecov codemagic cohere coinapi coinbase coinlib coinmarket confluence confluent contentful contentstack convertkit
couchbase cratesio crowdin crowdstrike cryptocompare currencylayer customerio dailymotion dareboost databricks datadog
datagov datocms deepgram deepl deepseek descope detectify diffbot digitalocean discord discourse disqus docusign
doppler dribbble droneci dropbox duffel dynatrace easypost ebay elevenlabs emailoctopus eventbrite exchangerate
expensify facebook fastly fastspring fauna figma filestack finicity finnhub firebase fireworks fivetran flickr
flutterwave flyio foursquare frameio freshbooks freshdesk freshsales freshworks fullcontact fullstory geckoboard
geocode geoipify getresponse giphy github gitlab gitter glassnode gmail gocardless godaddy goodreads google grafana
graphhopper groq gumroad hashicorp helpcrunch helpscout heroku hetzner honeybadger honeycomb hootsuite hotjar hubspot
huggingface hunterio hypertrack ibmcloud iconfinder imgix imgur infobip infracost infura instabot instagram instana
intercom ipapi ipdata ipgeolocation ipinfo ipstack jenkins jfrog jira jumpcloud kaggle keenio keycloak kickbox klarna
klaviyo kraken kucoin lacework languagetool launchdarkly lemlist lexoffice linked_in linkedin linode liveagent
livechat lobcom logdna logentries loggly logz lokalise looker magento mailboxlayer mailchimp mailerlite mailersend
mailgun mailjet mailtrap mandrill mapbox mapquest marketo mattermost mavenlink maxmind mediastack meraki mercadopago
messagebird metaapi mezmo minio mistral mixpanel mockaroo mollie monday mongodb moosend moralis mparticle muckrack
netlify neutrinoapi newrelic newsapi nexmo ngrok notion npmjs nuget numverify nutritionix nylas nytimes oanda octopus
okta omnisend onedrive onelogin onesignal onfleet openai opencage openrouter openshift openweather opsgenie optimizely
outbrain pagarme pagerduty pandadoc papertrail parsehub paypal paystack pdfshift perplexity pexels pinata pinecone
pingdom pinterest pipedream pipedrive pixabay plaid planetscale plivo podio postgrid posthog postman postmark prismic
privateai productboard pubnub pulumi pusher pyowm qualtrics quickbase quickbooks rabbitmq rackspace railway rapid7
rapidapi razorpay recruitee recurly reddit redhat redis removebg restpack revenuecat ringcentral rollbar rootly
rubygems salesforce salesloft samsara sanity saucelabs scaleway scalr scrapestack scraping securitytrails semaphore
semrush sendbird sendgrid sendinblue sendowl sendpulse sentinelone sentry serpapi serpstack servicenow settlemint
shippo shodan shopify shutterstock sidekiq signalwire sinch sirv skyscanner slack smartling smartsheet smartystreets
snipcart snowflake snyk sonar sonarcloud sonarqube soundcloud sourcegraph sparkpost splunk spotify squarespace
squareup stability stackhawk stackpath statuscake statuspage stormglass storyblok strava stripe sumologic supabase
surveymonkey synadia tailscale tatum tavily teamcity telegr telegram telnyx tencent terraform textmagic ticketmaster
tiingo tiktok todoist togetherai tomtom tradier travis trello turnstile twelvedata twilio twitch twitter
typeform ubidots unbounce unsplash upcloud uplead uptimerobot urlscan userstack vercel vimeo virustotal vonage vultr
wakatime walmart weatherapi weatherbit weatherstack webex webflow wepay whatsapp wistia woocommerce wordnik workos
wrike wunderground yandex yelp zapier zendesk zenserp zeplin zerobounce zillow zoho zonka zoomus zulip`;
const SHORT = `aws dropbox ebay elastic etsy gcp jira linear lob mux neon ovh plaid resend segment square sumo trello vault wix xai xero zoom`;

/**
 * By their first four letters (short ones with the characters around them): one look-up per place instead of 400 tries.
 */
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

/** Whether the text names one of them. `written`: the same text with words still joined. */
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
  // `hubSpot2024`, `OpenAIProd`: one word that starts so.
  return joined || (written.toLowerCase().match(/[a-z0-9]+/g) ?? []).some((word) => beginsOne(known, word));
}

type KnownVendors = ReadonlyMap<string, readonly string[]>;

function isOne(known: KnownVendors, word: string): boolean {
  const plain = word.replace(/(?:s|\d{1,4})$/, '');
  const same = known.get(word.slice(0, START));
  return same !== undefined && (same.includes(word) || same.includes(plain));
}

const beginsOne = (known: KnownVendors, word: string): boolean =>
  known.get(word.slice(0, START))?.some((name) => word.startsWith(name)) === true;
