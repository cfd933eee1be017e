"""The words sentences are made of: places, people, files, addresses, dates, texts, facts, topics."""

import random

CITIES = (
    "Tokyo|Paris|London|New York|Los Angeles|Chicago|Toronto|Mexico City|Madrid|Rome|Berlin|Vienna|Moscow"
    "|Istanbul|Cairo|Lagos|Nairobi|Dubai|Mumbai|New Delhi|Bangkok|Singapore|Hong Kong|Shanghai|Beijing|Seoul"
    "|Sydney|Melbourne|Auckland|Honolulu|Denver|Oslo|Lisbon|Dublin|Athens|Warsaw|Prague|Budapest|Helsinki"
    "|Lima|Bogotá|Santiago|São Paulo|Rio de Janeiro|Buenos Aires|Kyiv|Tehran|Karachi|Dhaka|Jakarta|Manila"
    "|Hanoi|Casablanca|Zurich|Geneva|Brussels|Amsterdam|Copenhagen|Stockholm|Boston|Miami|Houston|Vancouver"
    "|Montreal|Reykjavik|San Francisco|Seattle|Las Vegas|Cape Town|Johannesburg|Kuala Lumpur|Ho Chi Minh City"
    "|Tel Aviv|Riyadh|Doha|Porto|Naples|Milan|Kyoto|Osaka|Perth|Brisbane|Havana|Salt Lake City|Addis Ababa"
    "|Anchorage|Bucharest|Belgrade|Kathmandu|Colombo|Accra|Quito|La Paz|Edinburgh|Munich|Hamburg|Krakow"
).split("|")
ZONES = (
    "Europe/Paris|Asia/Tokyo|America/New_York|UTC|America/Los_Angeles|Asia/Kolkata|Australia/Sydney"
    "|Europe/Berlin|Africa/Cairo|GMT|EST|Asia/Shanghai|America/Sao_Paulo|Pacific/Auckland|CET|PST"
).split("|")
COUNTRIES = "Japan|Brazil|Kenya|Norway|Iceland|India|Egypt|Peru|Portugal|Korea|Thailand|Germany|Chile".split(
    "|"
)
PEOPLE = (
    "Alice|Bob|Carol|David|Emma|Frank|Grace|Henry|Ivy|Jack|Kate|Liam|Maria|Noah|Olga|Peter|Quinn|Rosa|Sam|Tina"
    "|Uma|Victor|Wendy|Yusuf|Zoe|Aisha|Bjorn|Chen|Dmitri|Elif|Farid|Giulia|Hiro|Ingrid|Jamal|Kwame|Lucía|Mei"
    "|Anna Berg|John Smith|Priya Patel|Dr Wong|Mrs Lee|my mother|my brother|the landlord|Omar Haddad"
).split("|")
_STEMS = (
    "notes|journal|story|budget|plan|main|index|app|server|config|settings|data|users|orders|results|summary"
    "|draft|letter|poem|recipe|log|errors|output|input|report|invoice|tasks|shopping|ideas|diary|homework|essay"
    "|script|utils|test|setup|readme|license|changelog|contacts|schedule|agenda|minutes|backup|env|table|graph"
    "|model|train|lyrics|quotes|birthdays|links|bookmarks|inventory|prices|games|movies|books|music|wishlist"
    "|packing-list|meeting_notes|trip_plan|q3-results|todo_today|Report2024|final_draft|weekly.review|travel"
    "|garden|recipes|expenses|workout|reading_list|passphrase|memo|speech|thesis|cover_letter|roadmap|faq"
).split("|")
_ENDINGS = (
    "txt|txt|txt|md|md|py|json|csv|yaml|yml|log|html|xml|toml|ini|js|cfg|sql|sh|conf|rst|ts|rs|go|tex".split(
        "|"
    )
)
_FOLDERS = (
    "docs|data|src|logs|notes|photos|music|projects|backup|config|reports|archive|downloads|scripts|assets"
    "|tests|drafts|invoices|work|images|build|public|templates|recipes|Documents|Desktop|old|2024|lib"
).split("|")
_DOMAINS = (
    "example|test|foo|shop|news|blog|acme|weatherapi|jsonplaceholder|myapp|store|cats|books|music|data|open"
    "|cloud|wiki|python|github|httpbin|docs|mail|forum|status|museum|bikes|green-tea|my-site|intranet"
).split("|")
_TLDS = "com|com|org|net|io|dev|co.uk|app|edu|gov|de|fr|site|ai".split("|")
_ENDS = (
    "||||/|/api|/v1/items|/users/{n}|/posts?id={n}|/data.json|/index.html|/search?q=cats|/health|/login"
    "|/feed.xml|/api/v2/orders|/docs/intro|/status|/blog/2024/{n}|/items/{n}/reviews|/robots.txt|/a/b/c"
    "|/api/products?sort=price&page={n}|/webhook|/graphql|/metrics|/en/home#top"
).split("|")
TEXTS = (
    "buy milk|call mom|hello world|meeting at 3pm|water the plants|good night|the quick brown fox|pay the rent"
    "|x = 1|print('hello')|dear diary|to be or not to be|I love cats|pick up the kids at 5|TODO: fix the bug"
    "|version 2.1|remember to breathe|apples and oranges|happy birthday|the server is down|once upon a time"
    "|name: test|import os|42|see you tomorrow|red green blue|feed the dog|finish the report|cancel the gym"
    "|lunch with Anna|my secret plan|line one|all work and no play|status: done|total = 100|do not disturb"
    "|welcome home|it works|buy eggs and bread|def f(x): return x|the meeting is moved to Monday|draft version"
    "|Alice owes me ten dollars|start at noon|thanks for all the fish|backup complete|SELECT * FROM users"
    "|book the hotel|new line of text|milk, eggs and butter|Dear Anna, thank you for the lovely gift"
    "|The results are better than last year|dentist on 14 June at 9|debug = true|port = 8080|chapter one"
    "|two cups of flour and one egg|call the bank before Friday|I will be late|roses are red|pack the tent"
    "|the password was changed on March 9th|ask Omar about the invoice|rent is due on the 1st|gate B22 at 6 am"
    "|ideas: solar lamp, folding bike|never give up|<h1>Hi</h1>|name,age|one; two; three|we leave at dawn"
    "|first draft of my speech|mow the lawn on Sunday|return the library books|this is only a test"
    "|Sam likes jazz and old maps|oil change at 40000 km|key under the mat|no meetings after 4 pm|A new day"
    "|fix the sink and paint the door|https is not http|hola amigos|long live the queen|remember the milk"
).split("|")
TOPICS = (
    "black holes|pizza recipes|electric cars|the French revolution|python decorators|cheap hotels in Rome"
    "|climate change|the best laptops|how to tie a tie|machine learning|ancient Egypt|yoga for beginners"
    "|the stock price of Apple|vegan restaurants|the population of India|the tallest building in the world"
    "|Mars missions|solar panels|guitar chords|marathon training|coffee brewing methods|the history of chess"
    "|renewable energy|sourdough bread|dog breeds|job interview tips|the 2024 olympics|new movies|rust vs go"
    "|docker tutorials|flights to Lisbon|home remedies for a cold|the plot of Hamlet|quantum computing"
    "|bird watching|who invented the telephone|when the Titanic sank|the distance to the moon|football scores"
    "|healthy breakfast ideas|learning Spanish|gardening tips|the northern lights|cat behaviour|mortgage rates"
    "|electric bikes|noise cancelling headphones|the latest iPhone|podcasts about science|camping gear"
    "|wine pairing|meditation|tax rules|CSS grid|kubernetes|linear algebra|origami|visa rules for Japan"
    "|the best ramen in Osaka|bus strikes this week|how volcanoes form|used pianos near me|violin makers"
).split("|")
_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Sept|Oct|Dec"
).split("|")
_DAYS = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday".split("|")
_LATER = "tomorrow|next week|next Friday|this weekend|tonight|tomorrow morning|in two hours|on the 5th".split(
    "|"
)
_SMALL = "two|three|four|five|six|seven|eight|ten|twelve".split("|")
_SMALL_VALUES = {
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "ten": 10,
    "twelve": 12,
}


def city(chance: random.Random) -> str:
    name = chance.choice(CITIES)
    return name.lower() if chance.random() < 0.25 else name


def zone(chance: random.Random) -> str:
    return chance.choice(ZONES if chance.random() < 0.5 else COUNTRIES)


def person(chance: random.Random) -> str:
    return chance.choice(PEOPLE)


def first_name(chance: random.Random) -> str:
    return chance.choice(PEOPLE[:38])


def file(chance: random.Random) -> str:
    name = chance.choice(_STEMS) + chance.choice(["", "", "", "", "_v2", "2", "-old", "_final"])
    if chance.random() < 0.06:
        return chance.choice(["README", "LICENSE", "Makefile", "Dockerfile", ".env", ".gitignore", ".bashrc"])
    head = ""
    if chance.random() < 0.45:
        head = chance.choice(["", "", "/", "./", "~/", "../", "/home/user/", "/var/lib/", "/tmp/", "/etc/"])
        head += "/".join(chance.sample(_FOLDERS, chance.choice([1, 1, 2]))) + "/"
    return f"{head}{name}.{chance.choice(_ENDINGS)}"


def folder(chance: random.Random) -> str:
    one = chance.choice(_FOLDERS)
    if chance.random() < 0.5:
        return one
    head = chance.choice(["", "./", "~/", "/home/user/", "/var/", "project/", "../"])
    return head + one + chance.choice(["", "/", "/" + chance.choice(_FOLDERS)])


def url(chance: random.Random) -> str:
    host = chance.choice(["https://", "https://", "http://"]) + chance.choice(["", "www.", "api.", "", "m."])
    host += chance.choice(_DOMAINS) + chance.choice(["", "", "", str(chance.randint(1, 99))])
    host += "." + chance.choice(_TLDS)
    if chance.random() < 0.12:
        host = chance.choice(["http://localhost:", "http://127.0.0.1:", "http://192.168.1.7:"])
        host += str(chance.choice([3000, 5000, 8000, 8080, 9200]))
    return host + chance.choice(_ENDS).replace("{n}", str(chance.randint(1, 999)))


def bare_domain(chance: random.Random) -> tuple[str, str]:
    """An address without its scheme, and what it means."""
    host = f"{chance.choice(_DOMAINS)}.{chance.choice(['com', 'org', 'net', 'io', 'dev'])}"
    host = chance.choice(["", "www."]) + host + chance.choice(["", "", "/about", "/news/today"])
    return host, f"https://{host}"


def text(chance: random.Random) -> str:
    made = chance.choice(TEXTS)
    if chance.random() < 0.3:
        made = f"{made} {chance.choice(['and', 'then', 'or'])} {chance.choice(TEXTS[:12])}"
    return made


def topic(chance: random.Random) -> str:
    return chance.choice(TOPICS)


def date(chance: random.Random) -> str:
    day = chance.randint(1, 28)
    suffix = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd"}.get(day, "th")
    month = chance.choice(_MONTHS)
    return chance.choice(
        [
            f"{month} {day}",
            f"{month} {day}{suffix}",
            f"{day} {month}",
            f"{day}{suffix} of {month}",
            f"{month} {day}, {chance.randint(2020, 2030)}",
            f"{day} {month} {chance.randint(1950, 2030)}",
            f"{chance.randint(2020, 2030)}-{chance.randint(1, 12):02}-{day:02}",
            chance.choice(_DAYS),
            chance.choice(_LATER),
            chance.choice(_DAYS),
        ]
    )


def hour(chance: random.Random) -> str:
    number = chance.randint(1, 12)
    return chance.choice(
        [
            f"{number} am",
            f"{number}pm",
            f"{number}:30",
            f"{number + 8}:{chance.randint(10, 59)}",
            "noon",
            "midnight",
        ]
        + [f"{number}:15 pm", f"half past {chance.choice(_SMALL)}", f"{number} o'clock"]
    )


def span_of_time(chance: random.Random) -> str:
    unit = chance.choice(["minutes", "minutes", "seconds", "hours", "days", "weeks"])
    return f"{chance.choice([chance.randint(2, 90), chance.choice(_SMALL)])} {unit}"


def number(low: int, high: int):
    def make(chance: random.Random) -> tuple[str, str]:
        if low <= 2 and high >= 12 and chance.random() < 0.25:
            word = chance.choice(_SMALL)
            return word, str(_SMALL_VALUES[word])
        made = str(chance.randint(low, high))
        return made, made

    return make


def amount(chance: random.Random) -> tuple[str, str]:
    made = chance.choice([str(chance.randint(1, 999)), f"{chance.randint(1, 99)}.{chance.randint(10, 99)}"])
    return made, made


def mail(chance: random.Random) -> str:
    return f"{chance.choice(PEOPLE[:30]).lower()}@{chance.choice(_DOMAINS)}.{chance.choice(['com', 'org', 'io'])}"


def code(chance: random.Random) -> str:
    return chance.choice(["A", "ZX", "INV-", "T-", "#", "PK", "ORD-", "B", "QF", ""]) + str(
        chance.randint(10, 99999)
    )


def one_of(*values: str):
    return lambda chance: chance.choice(values)  # pyright: ignore[reportUnknownLambdaType, reportUnknownVariableType]
