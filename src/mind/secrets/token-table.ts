/**
 * Tokens whose start names their vendor. One line each: the rule, the starts, and what follows: an alphabet and a
 * length (`w36`, `w20..60`, `w30+`), or several such parts with signs between them. Alphabets: d digits, h hex, a lower
 * case and digits, A upper case and digits, l lower case, w letters and digits, _ these and `_`, u these and `-`, b
 * those of base64 with `=`, x any of these and the full stop. Written from public knowledge of the vendors' formats.
 */
export const TOKEN_TABLE = `
github            ghp_ gho_ ghu_ ghs_ ghr_                          w36+
github            github_pat_                                       _40+
gitlab            glpat- gldt- glft- glsoat- glrt- glcbt- glptt- glagent- gloas- glimt- glffct- GR1348941  x18+
gitlab            gitlab_session=                                   w30+
bitbucket         ATBB ATCTT3xFfG                                   b24+
atlassian         ATATT                                             b50+
atlassian         ATOA                                              b40+
aws               AKIA ASIA ABIA ACCA                               A16
aws               A3T                                               A17
aws               ABSK                                              b100+
aws               bedrock-api-key-                                  b20+
aws               amzn.mws.                                         h8-h4-h4-h4-h12
aws               da2-                                              a26
alibaba           LTAI                                              w12..24
google            AIza                                              u35
google            ya29. 1//0                                        u20+
google            GOCSPX-                                           u24+
google            GOOG1 GOOG                                        A20+
yandex            AQVN AQAAAAA                                      u30+
yandex            t1. y0_                                           u40+
yandex            YC                                                u38
digitalocean      dop_v1_ doo_v1_ dor_v1_                           h64
linode            linode_pat_                                       w30+
heroku            HRKU-                                             u36+
flyio             fo1_                                              u40+
flyio             fm1r_ fm1a_ fm2_                                  b60+
render            rnd_                                              w24+
supabase          sbp_ sb_secret_                                   w30+
planetscale       pscale_pw_ pscale_tkn_ pscale_oauth_ pscale_app_  x30+
neon              napi_                                             a40+
databricks        dapi dosec                                        h30+
pulumi            pul-                                              h40
vault             hvs. hvb. hvr.                                    u20+
vault             s. b.                                             w24
doppler           dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. dp.said.  x30+
1password         ops_eyJ                                           b100+
1password         A3-                                               A6-x15+
cloudflare        v1.0-                                             h24-h100+
netlify           nfp_                                              w30+
vercel            vcp_ vca_ vcr_ vck_ vci_                          w20+
npm               npm_                                              w36
pypi              pypi-                                             u60+
rubygems          rubygems_                                         h48
nuget             oy2                                               a43
clojars           CLOJARS_                                          w56+
crates            cio                                               w32
dockerhub         dckr_pat_ dckr_oat_                               u20+
jfrog             AKCp                                              w64+
jfrog             cmVmd                                             w56+
sonar             sqp_ squ_ sqa_                                    h40
snyk              snyk_uat. snyk_sat.                               x30+
sourcegraph       sgp_local_ sgp_ sgd_                                         _40+
sentry            sntrys_                                           x60+
sentry            sntryu_ sntrya_ sntryi_                           h60+
grafana           glc_                                              b32+
grafana           glsa_                                             w32_h8
grafana           eyJrIjoi                                          b40+
newrelic          NRAK-                                             w27
newrelic          NRJS-                                             h19
newrelic          NRII- NRRA- NRIQ-                                 u32+
newrelic          NRBR- NRSP- NRAA-                                 w24+
honeycomb         hcaik_ hcalk_ hcxik_ hcxmk_ hcbik_                w40+
dynatrace         dt0c01. dt0s01. dt0s02. dt0s03. dt0s08. dt0s16.   w8+.w64
posthog           phx_ phc_ phs_                                    w40+
launchdarkly      sdk- mob- api-                                    h8-h4-h4-h4-h12
airtable          pat                                               w14.h64
airtable          oaa                                               w14.v1.b60+
asana             1/                                                d16:h32
asana             2/                                                d16/d16:h32
clickup           pk_                                               d6..10_A32
linear            lin_api_ lin_oauth_ lin_wh_                       w32+
notion            ntn_                                              d11w35
notion            secret_                                           w43
postman           PMAK-                                             h24-h34
typeform          tfp_                                              x40+
figma             figd_ figu_ figoh_ figor_                         u36+
readme            rdme_                                             a70
dropbox           sl.                                               u100+
frameio           fio-u-                                            x60+
contentful        CFPAT-                                            u40+
sanity            skE skP                                           w60+
shopify           shpat_ shpca_ shppa_ shpss_ shptka_ shpua_        h32
stripe            sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ sk_org_ mk_live_ mk_test_ ek_live_ ek_test_  w10+
stripe            whsec_                                            b24+
stripe            pk_live_                                          w20+
square            EAAA                                              u22+
square            sq0atp- sq0csp- sq0idp- sq0idb-                   u22+
paypal            access_token$production$ access_token$sandbox$    a16$h32
braintree         production_ sandbox_                              a8_a16
plaid             access-sandbox- access-development- access-production- public-production-  h8-h4-h4-h4-h12
flutterwave       FLWSECK_TEST- FLWSECK- FLWPUBK_TEST- FLWPUBK-     u12+
razorpay          rzp_live_ rzp_test_                               w14+
gocardless        live_ sandbox_                                    x40
lob               live_ test_                                       h35
lob               live_pub_ test_pub_                               h31
easypost          EZAK EZTK                                         w54
shippo            shippo_live_ shippo_test_                         h40
duffel            duffel_test_ duffel_live_                         x43
sendgrid          SG.                                               x60+
sendinblue        xkeysib- xsmtpsib-                                h64-w16
mailgun           key- pubkey-                                      h32
mailgun           key-                                              a32
mailersend        mlsn.                                             h64
resend            re_                                               w8_w20+
mandrill          md-                                               u22
klaviyo           pk_                                               h34
hubspot           pat-na1- pat-na2- pat-eu1- pat-ap1-               h8-h4-h4-h4-h12
salesforce        00D                                               w12!x80+
twilio            SK                                                h32
twilio            AC                                                h32
telnyx            KEY                                               A32_w22
slack             xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xoxc- xoxd- xapp- xwfp- xoxe.xoxb- xoxe.xoxp-  u10+
discord           mfa.                                              u60+
telegram          bot                                               d8..10:u33+
facebook          EAA                                               w60+
instagram         IGQV IGAA                                         u60+
twitter           AAAAAAAAAAAAAAAAAAAAA                             x40+
twitch            oauth:                                            a30
openai            sk-proj- sk-svcacct- sk-admin- sk-None-           u40+
openai            sk- sess-                                         w40+
anthropic         sk-ant- sk-ant-api03- sk-ant-admin01- sk-ant-oat01- sk-ant-sid01-  u60+
openrouter        sk-or-v1-                                         h60+
groq              gsk_                                              w40+
xai               xai-                                              _60+
perplexity        pplx-                                             w40+
replicate         r8_                                               w30+
huggingface       hf_ api_org_                                      w30+
elevenlabs        sk_                                               h48
langchain         lsv2_pt_ lsv2_sk_ ls__                            _30+
langfuse          sk-lf- pk-lf-                                     h8-h4-h4-h4-h12
pinecone          pcsk_                                             _50+
nvidia            nvapi-                                            u50+
together          tgp_v1_                                           u30+
fireworks         fw_                                               w22+
tavily            tvly-                                             u30+
firecrawl         fc-                                               h32
wandb             wandb_v1_                                         _40+
voyage            pa-                                               u43
apify             apify_api_                                        w30+
mapbox            sk.eyJ pk.eyJ tk.eyJ                              x50+
alchemy           alcht_                                            w30
adobe             p8e-                                              u32+
artifactory       eyJ2ZXIiOi                                        x60+
authress          sc_ ext_ scauth_ authress_                        x10..40.acc-x20+
okta              SSWS                                              u42
stytch            secret-live- secret-test-                         u36
tailscale         tskey-auth- tskey-api- tskey-client- tskey-scim- tskey-webhook-  x20+
ngrok             ngrok_ ak_2 cr_2                                  w25+
defined           dnkey-                                            x60+
openshift         sha256~                                           u43
buildkite         bkua_                                             w30+
dbt               dbtc_ dbtu_                                       u30+
circleci          CCIPAT_ CCIPRJ_                                   x40+
harness           pat. sat.                                         u22.w20+.w20
scalingo          tk-us-                                            u48
prefect           pnu_ pnb_ pns_                                    w36
rootly            rootly_                                           h60+
pagerduty         pdus+ pdeu+                                       u20+
beamer            b_                                                b44
settlemint        sm_pat_ sm_sat_ sm_aat_                           w16
intra42           s-s4t2ud- s-s4t2af-                               h64
yubico            cccccc                                            l38
age               AGE-SECRET-KEY-1                                  A58
maxmind           maxm_                                             w30+
sumologic         suAA                                              w10
ubidots           BBFF-                                             w30
photoroom         sk_pr_                                            _30+
besttime          pri_ pub_                                         h32
samsara           samsara_api_                                      w30
fleetbase         flb_live_ flb_test_                               w20
mongodb           mdb_sa_sk_                                        u30+
ghost             ghost_                                            h24:h64
clickhouse        4b1d                                              w38
octopus           API-                                              A25..26
infracost         ico-                                              w32
endorlabs         endr+                                             u16
pydantic          pylf_v1_                                          x30+
elastic           essu_                                             b50+
chromatic         chpt_                                             w12+
`;
