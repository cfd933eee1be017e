"""Tools unlike ours, many of them: single ones, and families made of things and what is done with them."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from training import stock
from training.skill import TEXT, Skill, Slot

WHOLE: Mapping[str, Any] = {"type": "integer"}
REAL: Mapping[str, Any] = {"type": "number"}
_some = stock.one_of


def _enum(*values: str) -> Mapping[str, Any]:
    return {"type": "string", "enum": list(values)}


def _skill(
    names: str,
    description: str,
    schemas: Mapping[str, Mapping[str, Any]],
    slots: Mapping[str, Slot],
    *said: str,
) -> Skill:
    first, *others = names.split("|")
    about, *more = description.split("|")
    return Skill(
        name=first,
        description=about,
        schemas=schemas,
        templates=said,
        slots=slots,
        names=others,
        descriptions=more,
    )


_rooms = _some(
    "kitchen", "bedroom", "garage", "hallway", "living room", "bathroom", "office", "cellar", "nursery"
)
_songs = _some(
    *("Bohemian Rhapsody", "some jazz", "Adele", "Imagine", "Daft Punk", "Yellow Submarine", "the Beatles"),
    *("lofi beats", "Mozart", "Clair de Lune", "songs by Queen", "my running playlist", "Blue Monday"),
)
_currencies = _some(
    "USD", "dollars", "euros", "pounds", "yen", "EUR", "GBP", "rupees", "francs", "pesos", "kronor"
)
_units = _some(
    "miles", "kilometers", "pounds", "kilograms", "feet", "meters", "gallons", "liters", "inches", "cm"
)
_stocks = _some(
    "AAPL", "Tesla", "Microsoft", "GOOG", "Nvidia", "Amazon", "BMW", "Siemens", "TSLA", "Coca-Cola"
)
_dishes = _some(
    "lasagna", "pancakes", "ramen", "tomato soup", "apple pie", "paella", "chicken curry", "falafel"
)
_places = _some(
    "the airport", "Central Park", "the nearest pharmacy", "Main Street 5", "the train station", "Ikea"
)
_words = _some("serendipity", "ephemeral", "ubiquitous", "paradox", "verbose", "lucid", "tacit", "petrichor")
_images = _some("photo.png", "cat.jpg", "img/logo.svg", "banner.webp", "holiday/beach.jpeg", "scan01.tiff")
_texts = stock.text


def single_skills() -> list[Skill]:
    name, text, path = {"name": TEXT}, {"text": TEXT}, {"path": TEXT}
    pair = {"source": TEXT, "destination": TEXT}
    files: Mapping[str, Slot] = {"source": stock.file, "destination": stock.file}
    return [
        _skill(
            "play_music|play_song|music_play",
            "Play a song or artist",
            {"title": TEXT},
            {"title": _songs},
            "[Play|put on|start playing|I want to hear|I'd love to listen to|how about some music:] {title}[| please]",
        ),
        _skill(
            "pause_music|stop_music",
            "Pause the music",
            {},
            {},
            "[pause|stop|halt|silence] the [music|song|playback]",
            "[it's too loud, stop the music|no more music please|turn off the song]",
        ),
        _skill(
            "set_volume|volume",
            "Set the sound volume",
            {"level": WHOLE},
            {"level": stock.number(0, 100)},
            "[set|turn|put] the volume [to|at] {level}[| percent]",
            "volume {level}",
            "[make it louder, say|turn it down to] {level}",
        ),
        _skill(
            "set_alarm|alarm|wake_up",
            "Set an alarm clock",
            {"at": TEXT},
            {"at": stock.hour},
            "[Wake me|get me up|wake me up] at {at}",
            "[set|I need] an alarm [for|at] {at}",
            "alarm [at|for] {at}",
        ),
        _skill(
            "start_timer|set_timer|countdown",
            "Start a countdown timer",
            {"duration": TEXT},
            {"duration": stock.span_of_time},
            "[Start|set|run] a timer [for|of] {duration}",
            "[count down|timer for] {duration}",
            "tell me when {duration} are over",
        ),
        _skill(
            "light_on|turn_on_light|lamp_on",
            "Turn on the light in a room",
            {"room": TEXT},
            {"room": _rooms},
            "[Turn|switch] on the [light|lamp] in the {room}",
            "lights on in the {room}",
            "it's dark in the {room}[|, do something]",
            "[turn on|I need] the {room} light",
        ),
        _skill(
            "light_off|turn_off_light",
            "Turn off the light in a room",
            {"room": TEXT},
            {"room": _rooms},
            "[Turn|switch] off the [light|lamp] in the {room}",
            "lights off in the {room}",
            "[turn off|kill] the {room} light",
        ),
        _skill(
            "set_thermostat|heating|set_room_temperature",
            "Set the thermostat",
            {"degrees": WHOLE},
            {"degrees": stock.number(14, 28)},
            "[Set|turn|put] the [heating|thermostat] to {degrees}[| degrees]",
            "make it {degrees} degrees in here",
            "I'm cold, heat to {degrees}",
        ),
        _skill(
            "convert_currency|exchange",
            "Convert an amount of money between currencies",
            {"amount": REAL, "source": TEXT, "target": TEXT},
            {"amount": stock.amount, "source": _currencies, "target": _currencies},
            "[Convert|exchange|change] {amount} {source} [to|into] {target}",
            "how [much|many] is {amount} {source} in {target}[?|]",
            "what would {amount} {source} be in {target}[?|]",
        ),
        _skill(
            "convert_units|unit_converter",
            "Convert between units of measure",
            {"value": REAL, "source": TEXT, "target": TEXT},
            {"value": stock.amount, "source": _units, "target": _units},
            "[Convert|change] {value} {source} to {target}",
            "{value} {source} in {target}[?|]",
            "how many {target} are {value} {source}[?|]",
        ),
        _skill(
            "book_flight|flight_booking|reserve_flight",
            "Book a flight between two cities",
            {"origin": TEXT, "destination": TEXT, "date?": TEXT},
            {"origin": stock.city, "destination": stock.city, "date": stock.date},
            "[Book|find|get] me a flight from {origin} to {destination}[| on {date}]",
            "I [want|need|have] to fly from {origin} to {destination}[| on {date}]",
            "plane ticket {origin} to {destination}",
        ),
        _skill(
            "book_table|reserve_restaurant",
            "Reserve a table at a restaurant",
            {"restaurant": TEXT, "people": WHOLE},
            {
                "restaurant": _some(
                    "Luigi's", "the Golden Dragon", "Nobu", "Cafe Rouge", "Taco Palace", "Chez Marie"
                ),
                "people": stock.number(2, 12),
            },
            "[Book|reserve|get] a table for {people} at {restaurant}",
            "reserve {restaurant} for {people} people",
            "we are {people} and want to eat at {restaurant}, book it",
        ),
        _skill(
            "stock_price|get_stock|quote",
            "Get the stock price of a company",
            {"symbol": TEXT},
            {"symbol": _stocks},
            "[What is|what's] the [stock|share] price of {symbol}[?|]",
            "how is {symbol} [stock|] doing[?| on the market?]",
            "{symbol} share price",
            "is {symbol} up or down today[?|]",
        ),
        _skill(
            "define_word|dictionary",
            "Look up the definition of a word",
            {"word": TEXT},
            {"word": _words},
            "[Define|look up the word|definition of] {word!q}",
            "what does {word!q} mean[?|]",
            "meaning of {word}",
        ),
        _skill(
            "find_synonym|thesaurus",
            "Find words with a similar meaning",
            {"word": TEXT},
            {"word": _words},
            "[give me|find|I need] [a synonym|another word|synonyms] for {word!q}",
            "what else can I say instead of {word!q}[?|]",
        ),
        _skill(
            "call_contact|phone_call|dial",
            "Call a contact on the phone",
            name,
            {"name": stock.person},
            "[Call|phone|ring|dial] {name}[| please| now]",
            "get {name} on the [line|phone]",
            "I [need|want] to [speak to|talk to] {name}",
        ),
        _skill(
            "send_sms|text_message",
            "Send a text message to a phone contact",
            {"name": TEXT, "message": TEXT},
            {"name": stock.first_name, "message": _texts},
            "[Text|sms] {name} {message!Q}",
            "[send|write] a text to {name}[:| saying] {message!q}",
            "tell {name} by text that {message}",
            "let {name} know by sms: {message!q}",
        ),
        _skill(
            "add_to_cart|cart_add",
            "Add a product to the shopping cart",
            {"product": TEXT, "quantity?": WHOLE},
            {
                "product": _some("apples", "notebooks", "batteries", "shirts", "lamps", "mugs", "blue pens"),
                "quantity": stock.number(2, 20),
            },
            "[Add|put] {quantity} {product} [to|in] my [cart|basket]",
            "put {product} in the cart",
            "I want to buy {quantity} {product}",
            "order {product} for me",
        ),
        _skill(
            "create_event|calendar_add|add_appointment",
            "Add an event to the calendar",
            {"title": TEXT, "date": TEXT},
            {
                "title": _some(
                    "dentist", "team lunch", "yoga", "project review", "piano lesson", "dinner with Omar"
                ),
                "date": stock.date,
            },
            "[Add|put] {title} [to|in] my calendar [on|for] {date}",
            "[schedule|plan] {title} for {date}",
            "I have {title} on {date}, put it in the calendar",
            "new event on {date}: {title}",
        ),
        _skill(
            "list_events|agenda|show_calendar",
            "Show the events of a day in the calendar",
            {"date": TEXT},
            {"date": stock.date},
            "what's on my calendar [on|for] {date}[?|]",
            "[show|what are] my appointments [on|for] {date}",
            "am I free [on|] {date}[?|]",
            "what do I have planned for {date}[?|]",
        ),
        _skill(
            "run_sql|query_database|db_query",
            "Run a SQL query on the database",
            {"sql": TEXT},
            {
                "sql": _some(
                    "SELECT * FROM users",
                    "SELECT count(*) FROM orders",
                    "DELETE FROM logs",
                    "SELECT name FROM cities WHERE pop > 100",
                )
            },
            "[Run|execute] the query {sql!q}",
            "execute sql: {sql}",
            "query the database with {sql!q}",
        ),
        _skill(
            "generate_image|draw_image|paint",
            "Generate an image from a description",
            {"prompt": TEXT},
            {
                "prompt": _some(
                    "a cat in space",
                    "a red bicycle",
                    "a castle at night",
                    "two robots dancing",
                    "the ocean at dawn",
                    "an old man reading",
                )
            },
            "[Draw|paint|sketch] {prompt}",
            "[make|create|generate] [a picture|an image|art] [of|showing] {prompt}",
            "I'd like to see a picture of {prompt}",
        ),
        _skill(
            "random_number|pick_number",
            "Generate a random number in a range",
            {"low": WHOLE, "high": WHOLE},
            {"low": stock.number(13, 40), "high": stock.number(41, 999)},
            "[Give me|pick|generate] a [random number|number] [between|from] {low} [and|to] {high}",
            "random {low} to {high}",
        ),
        _skill(
            "get_directions|navigate|route",
            "Get directions to a place",
            {"destination": TEXT},
            {"destination": _places},
            "How do I get to {destination}[?|]",
            "[navigate|directions|route|the way|take me] to {destination}",
            "I'm lost, I need to get to {destination}",
        ),
        _skill(
            "git_commit|commit_changes",
            "Commit changes with a message",
            {"message": TEXT},
            {"message": _some("fix typo", "add tests", "update readme", "refactor parser", "initial commit")},
            "Commit with [|the] message {message!q}",
            "git commit: {message}",
            "commit the changes as {message!q}",
        ),
        _skill(
            "git_branch|new_branch",
            "Create a git branch",
            {"branch": TEXT},
            {"branch": _some("feature/login", "hotfix-12", "dev", "release/2.0", "experiment")},
            "[create|make|start] [a|a new] branch [called|named] {branch}",
            "branch off as {branch}",
        ),
        _skill(
            "resize_image|image_resize",
            "Resize an image file",
            {"path": TEXT, "width": WHOLE},
            {"path": _images, "width": stock.number(100, 2000)},
            "Resize {path} to {width} pixels[| wide]",
            "make {path} {width} px wide",
            "shrink {path} to a width of {width}",
        ),
        _skill(
            "crop_image|image_crop",
            "Crop an image file to a square",
            path,
            {"path": _images},
            "crop {path}[| to a square]",
            "make {path} square",
        ),
        _skill(
            "copy_file|cp|duplicate_file",
            "Copy a file to another place",
            pair,
            files,
            "[Copy|duplicate] {source} [to|as|into] {destination}",
            "make a copy of {source} [called|at] {destination}",
        ),
        _skill(
            "rename_file|move_file|mv",
            "Rename or move a file",
            pair,
            files,
            "[Rename|move] {source} to {destination}",
            "{source} should be called {destination}[| instead]",
            "change the name of {source} to {destination}",
        ),
        _skill(
            "count_words|word_count",
            "Count the words in a text",
            text,
            {"text": _texts},
            "How many words are in {text!Q}[?|]",
            "count the words [of|in] {text!Q}",
        ),
        _skill(
            "file_info|stat_file|file_size",
            "Tell the size and date of a file",
            path,
            {"path": stock.file},
            "how [big|large|old] is {path}[?|]",
            "when was {path} [changed|created|modified][?|]",
            "size of {path}",
        ),
        _skill(
            "get_news|news",
            "Get the latest news headlines on a topic",
            {"topic": TEXT},
            {
                "topic": _some(
                    "politics", "sports", "technology", "science", "business", "climate", "football"
                )
            },
            "What's [new|happening] in {topic}[?|]",
            "[news|headlines] [about|on] {topic}",
            "latest {topic} headlines",
            "catch me up on {topic}",
        ),
        _skill(
            "track_package|parcel_status",
            "Track a parcel by its number",
            {"number": TEXT},
            {"number": stock.code},
            "Where is my [package|parcel] {number}[?|]",
            "track [parcel|package|shipment] {number}",
            "has {number} been delivered[?| yet?]",
        ),
        _skill(
            "find_recipe|recipe_search",
            "Find a cooking recipe for a dish",
            {"dish": TEXT},
            {"dish": _dishes},
            "How do I [cook|make] {dish}[?|]",
            "[give me|find|I need] a recipe for {dish}",
            "recipe: {dish}",
        ),
        _skill(
            "hash_text|sha256",
            "Compute the hash of a text",
            text,
            {"text": _texts},
            "Hash [the text|] {text!Q}",
            "[sha256|hash|checksum] of {text!Q}",
        ),
        _skill(
            "encode_base64|base64",
            "Encode a text as base64",
            text,
            {"text": _texts},
            "[encode|turn] {text!Q} [as|to|into] base64",
            "base64 of {text!Q}",
        ),
        _skill(
            "system_info|get_system_info",
            "Get information about this computer",
            {},
            {},
            "How much memory does this [machine|computer] have[?|]",
            "[show|give me] [system info|the hardware specs]",
            "what operating system is this[?|]",
            "how much disk space is left[?|]",
            "which cpu do I have[?|]",
        ),
        _skill(
            "take_screenshot|screenshot",
            "Take a screenshot of the screen",
            {},
            {},
            "[Take|make|grab] a screenshot[| please]",
            "capture [the|my] screen",
            "I need a picture of my screen",
        ),
        _skill(
            "zip_folder|compress",
            "Compress a folder into an archive",
            {"folder": TEXT},
            {"folder": stock.folder},
            "[Zip|compress|pack] the folder {folder}",
            "make an archive of the folder {folder}",
        ),
        _skill(
            "post_message|social_post|tweet",
            "Post a message on social media",
            text,
            {"text": _texts},
            "[Tweet|post] {text!Q}[| on my feed| online]",
            "share {text!Q} with my followers",
        ),
        _skill(
            "lookup_contact|find_contact",
            "Find a contact's details",
            name,
            {"name": stock.first_name},
            "What's {name}'s number[?|]",
            "[find|look up] {name} in my contacts",
            "contact details [for|of] {name}",
            "how can I reach {name}[?|]",
        ),
        _skill(
            "scan_qr|read_qr_code",
            "Read a QR code from an image",
            path,
            {"path": _images},
            "[read|scan|decode] the QR code in {path}",
            "what does the QR code in {path} say[?|]",
        ),
        _skill(
            "order_pizza|pizza",
            "Order a pizza",
            {"size": _enum("small", "medium", "large"), "topping": TEXT},
            {
                "size": _some("small", "medium", "large"),
                "topping": _some("mushrooms", "ham", "pineapple", "extra cheese", "olives"),
            },
            "[order|get me|I want] a {size} pizza with {topping}",
            "one {size} {topping} pizza[| please]",
        ),
        _skill(
            "set_mode|light_scene",
            "Set the scene of the smart lights",
            {"scene": _enum("party", "relax", "reading", "night")},
            {"scene": _some("party", "relax", "reading", "night")},
            "[set|put|switch] the lights to {scene}[| mode]",
            "{scene} mode[| please]",
            "I want {scene} lights",
        ),
        _skill(
            "play_radio|radio",
            "Play a radio station",
            {"station": TEXT},
            {"station": _some("BBC Radio 4", "Jazz FM", "KEXP", "Radio Paradise")},
            "[play|tune to|put on|turn on] {station}",
            "let's listen to {station}",
        ),
        _skill(
            "open_app|launch_app",
            "Open an app on the device",
            {"app": TEXT},
            {"app": _some("Spotify", "the camera", "Maps", "Settings", "Slack", "the browser")},
            "[launch|start|open] {app}",
            "I want to use {app}",
        ),
        _skill(
            "vacuum_room|robot_clean",
            "Send the robot to clean a room",
            {"room": TEXT},
            {"room": _rooms},
            "[clean|vacuum|hoover] the {room}",
            "the {room} is dirty[|, send the robot]",
        ),
        _skill(
            "feed_pet|pet_feeder",
            "Give food to a pet",
            {"pet": TEXT, "grams?": WHOLE},
            {"pet": _some("the cat", "Rex", "the rabbit", "the goldfish"), "grams": stock.number(20, 200)},
            "feed {pet}",
            "give {pet} {grams} grams[| of food]",
        ),
        _skill(
            "log_workout|fitness_log",
            "Record a workout",
            {"activity": TEXT, "minutes": WHOLE},
            {
                "activity": _some("running", "swimming", "yoga", "rowing", "cycling"),
                "minutes": stock.number(13, 120),
            },
            "I did {minutes} minutes of {activity}",
            "log {activity} for {minutes} minutes",
            "record {minutes} min {activity}",
        ),
        _skill(
            "log_expense|add_expense",
            "Record money that was spent",
            {"amount": REAL, "category": TEXT},
            {"amount": stock.amount, "category": _some("groceries", "rent", "fuel", "coffee", "books")},
            "I spent {amount} on {category}",
            "[log|record|add] an expense of {amount} for {category}",
            "{amount} for {category}, put it in my expenses",
        ),
        _skill(
            "check_balance|account_balance",
            "Show the balance of a bank account",
            {"account": TEXT},
            {"account": _some("savings", "checking", "joint", "business")},
            "how much [money|] is in my {account} account[?|]",
            "balance of my {account} account",
            "check the {account} account",
        ),
        _skill(
            "transfer_money|send_money",
            "Send money to a person",
            {"name": TEXT, "amount": REAL},
            {"name": stock.first_name, "amount": stock.amount},
            "[send|transfer|pay] {name} {amount}[| dollars| euros]",
            "transfer {amount} to {name}",
            "I owe {name} {amount}, pay it",
        ),
        _skill(
            "movie_times|showtimes",
            "Find when a movie is shown",
            {"movie": TEXT, "city?": TEXT},
            {"movie": _some("Dune", "Inception", "Amélie", "The Matrix"), "city": stock.city},
            "when is {movie} [on|shown|playing][| in {city}][?|]",
            "showtimes for {movie}[| in {city}]",
        ),
        _skill(
            "find_hotel|hotel_search",
            "Find a hotel in a city",
            {"city": TEXT, "nights?": WHOLE},
            {"city": stock.city, "nights": stock.number(2, 14)},
            "[find|book|get] [me|] a hotel in {city}[| for {nights} nights]",
            "I need a room in {city}[| for {nights} nights]",
        ),
        _skill(
            "rent_car|car_rental",
            "Rent a car",
            {"city": TEXT, "days": WHOLE},
            {"city": stock.city, "days": stock.number(2, 14)},
            "rent [me|] a car in {city} for {days} days",
            "I need a car for {days} days in {city}",
        ),
        _skill(
            "train_schedule|next_train",
            "Find trains between two stations",
            {"origin": TEXT, "destination": TEXT},
            {"origin": stock.city, "destination": stock.city},
            "[next train|trains] from {origin} to {destination}",
            "when does the train from {origin} to {destination} leave[?|]",
        ),
        _skill(
            "ip_lookup|whois",
            "Look up who owns a domain",
            {"domain": TEXT},
            {"domain": _some("example.org", "acme.io", "green-tea.com", "museum.net")},
            "who owns {domain}[?|]",
            "whois {domain}",
            "look up the owner of {domain}",
        ),
        _skill(
            "shorten_url|short_link",
            "Make a short link of a URL",
            {"url": TEXT},
            {"url": stock.url},
            "shorten {url}",
            "make a short link for {url}",
            "{url} is too long, shorten it",
        ),
        _skill(
            "bookmark_page|save_bookmark",
            "Save a web page as a bookmark",
            {"url": TEXT},
            {"url": stock.url},
            "bookmark {url}",
            "[save|add] {url} to my bookmarks",
        ),
        _skill(
            "add_subscriber|subscribe",
            "Add an address to the newsletter",
            {"email": TEXT},
            {"email": stock.mail},
            "subscribe {email}[| to the newsletter]",
            "[add|put] {email} [to|on] the newsletter",
        ),
        _skill(
            "lint_code|check_code",
            "Check a source file for mistakes",
            path,
            {"path": stock.file},
            "lint {path}",
            "check {path} for [mistakes|style problems]",
        ),
        _skill(
            "run_tests|test_runner",
            "Run the tests of a project",
            {"folder?": TEXT},
            {"folder": stock.folder},
            "run [the|all] tests",
            "run the tests in {folder}",
            "do the tests pass[?|]",
        ),
        _skill(
            "deploy_app|deploy",
            "Deploy an app to an environment",
            {"app": TEXT, "environment": _enum("staging", "production")},
            {
                "app": _some("the shop", "billing", "api-gateway", "frontend"),
                "environment": _some("staging", "production"),
            },
            "[deploy|ship|release|push] {app} to {environment}",
            "put {app} on {environment}",
        ),
        _skill(
            "restart_service|service_restart",
            "Restart a service on the server",
            {"service": TEXT},
            {"service": _some("nginx", "postgres", "redis", "the mail queue", "sshd")},
            "restart {service}[| please]",
            "{service} hangs, restart it",
        ),
        _skill(
            "read_sensor|sensor_value",
            "Read a sensor of the house",
            {"sensor": TEXT},
            {"sensor": _some("humidity", "front door", "smoke", "water level", "air quality")},
            "[read|check|what is] the {sensor} sensor[?|]",
            "what does the {sensor} sensor say[?|]",
        ),
        _skill(
            "spell_check|correct_text",
            "Correct the spelling of a text",
            text,
            {"text": _texts},
            "[correct|spell check|fix the spelling of] {text!Q}",
            "is {text!Q} spelled right[?|]",
        ),
        _skill(
            "set_language|ui_language",
            "Set the language of the screens",
            {"language": TEXT},
            {"language": _some("German", "French", "Spanish", "Turkish", "Japanese")},
            "[switch|change|set] the [menus|interface|screens] to {language}",
            "I want the menus in {language}",
        ),
        _skill(
            "roll_dice|dice",
            "Roll dice",
            {"count": WHOLE},
            {"count": stock.number(2, 12)},
            "roll {count} dice",
            "throw {count} dice[| for me]",
        ),
        _skill(
            "horoscope|star_sign",
            "Tell the horoscope of a star sign",
            {"sign": TEXT},
            {"sign": _some("Leo", "Aries", "Virgo", "Pisces")},
            "horoscope for {sign}",
            "what do the stars say for {sign}[?|]",
        ),
        _skill(
            "sports_score|match_result",
            "Get the score of a team's last game",
            {"team": TEXT},
            {"team": _some("Arsenal", "the Lakers", "Real Madrid", "the Yankees")},
            "did {team} win[?|]",
            "what was the score of {team}[?|]",
            "how did {team} play[?|]",
        ),
    ]


_THINGS: dict[str, tuple[str, ...]] = {
    "invoice": ("INV-204", "the March invoice", "4471", "the one for Acme"),
    "ticket": ("T-88", "the login bug", "1042", "the printer problem"),
    "order": ("ORD-771", "my last order", "90210", "the blue chairs"),
    "customer": ("Acme", "Priya Patel", "Globex", "C-19"),
    "project": ("Apollo", "the website", "Northstar", "Q3 launch"),
    "task": ("paint the fence", "write the report", "fix the tap", "call the bank"),
    "playlist": ("Road Trip", "Morning Run", "Chill", "Old Favourites"),
    "meeting": ("the stand-up", "budget review", "kick-off", "the call with Sam"),
    "album": ("Summer 2023", "Wedding", "Kids", "Iceland"),
    "product": ("the red lamp", "SKU-51", "oak table", "travel mug"),
    "employee": ("Maria", "Jamal", "E-77", "the new intern"),
    "course": ("Algebra I", "Intro to Python", "Pottery", "French A2"),
    "server": ("web-01", "db-main", "the staging box", "cache2"),
    "subscription": ("Netflix", "the gym", "premium", "the newspaper"),
    "room": ("204", "the blue room", "Everest", "the attic"),
    "document": ("the lease", "Annual Report", "the NDA", "contract 12"),
    "booking": ("BK-5501", "the Friday booking", "my haircut", "77"),
    "campaign": ("Spring Sale", "Black Friday", "the newsletter push", "Reach 10"),
    "device": ("the TV", "printer 2", "the router", "my watch"),
    "recipe": ("grandma's soup", "banana bread", "the chili", "pad thai"),
    "contract": ("the cleaning contract", "K-300", "Smith & Sons", "the lease"),
    "warehouse": ("north", "Leeds", "W3", "the main one"),
}
_people_of = stock.first_name
_DEEDS: tuple[tuple[str, str, tuple[str, ...], Mapping[str, Mapping[str, Any]], Mapping[str, Slot]], ...] = (
    ("create_{0}|new_{0}|add_{0}", "Create a new {0}", ("[create|make|open|start|set up] [a|a new] {0} [called|named] {{name!q}}", "new {0}: {{name}}", "I need a new {0} called {{name!q}}"), {"name": TEXT}, {}),
    ("get_{0}|show_{0}|{0}_details", "Show the details of one {0}", ("[show|get|open|pull up] [me|] the {0} {{name!q}}", "[details|information] [of|about] the {0} {{name!q}}", "what do we know about the {0} {{name!q}}[?|]"), {"name": TEXT}, {}),
    ("close_{0}|cancel_{0}|end_{0}", "Close or cancel one {0}", ("[close|cancel|end|finish] the {0} {{name!q}}", "we are done with the {0} {{name!q}}[|, close it]", "the {0} {{name!q}} is over, close it"), {"name": TEXT}, {}),
    ("assign_{0}|give_{0}", "Assign one {0} to a person", ("[assign|give|hand] the {0} {{name!q}} to {{person}}", "{{person}} should take over the {0} {{name!q}}", "let {{person}} handle the {0} {{name!q}}"), {"name": TEXT, "person": TEXT}, {"person": _people_of}),
    ("rate_{0}|review_{0}", "Rate one {0} with stars", ("[rate|give] the {0} {{name!q}} {{stars}} stars", "{{stars}} stars for the {0} {{name!q}}"), {"name": TEXT, "stars": WHOLE}, {"stars": _some("1", "2", "3", "4", "5")}),
    ("set_{0}_priority|prioritize_{0}", "Set the priority of one {0}", ("[set|change] the priority of the {0} {{name!q}} to {{priority}}", "the {0} {{name!q}} has {{priority}} priority[| now]", "make the {0} {{name!q}} {{priority}} priority"), {"name": TEXT, "priority": _enum("low", "medium", "high", "urgent")}, {"priority": _some("low", "medium", "high", "urgent")}),
    ("share_{0}|send_{0}", "Share one {0} with a person", ("[share|send] the {0} {{name!q}} [with|to] {{person}}", "let {{person}} see the {0} {{name!q}}"), {"name": TEXT, "person": TEXT}, {"person": _people_of}),
    ("rename_{0}", "Give one {0} another name", ("rename the {0} {{name!q}} to {{new_name!q}}", "the {0} {{name!q}} should be called {{new_name!q}}"), {"name": TEXT, "new_name": TEXT}, {"new_name": _some("Phoenix", "Version Two", "Archive 7", "Blue Sky", "old stuff")}),
    ("count_{0}s|{0}_count", "Tell how many {0}s there are", ("how many {0}s [are there|do we have][?|]", "count the {0}s", "number of {0}s"), {}, {}),
    ("search_{0}s|find_{0}s", "Search {0}s by words", ("[find|search|look for] {0}s [about|with|matching|for] {{query!q}}", "which {0}s are about {{query!q}}[?|]", "any {0}s on {{query!q}}[?|]"), {"query": TEXT}, {"query": stock.topic}),
    ("schedule_{0}|move_{0}", "Put one {0} on a date", ("[schedule|move|postpone] the {0} {{name!q}} to {{date}}", "the {0} {{name!q}} should be on {{date}}"), {"name": TEXT, "date": TEXT}, {"date": stock.date}),
    ("archive_{0}|store_{0}", "Put one {0} into the archive", ("archive the {0} {{name!q}}", "move the {0} {{name!q}} to the archive", "I don't need the {0} {{name!q}} any more, archive it"), {"name": TEXT}, {}),
    ("comment_{0}|note_on_{0}", "Leave a comment on one {0}", ("[comment|write|say] {{comment!Q}} on the {0} {{name!q}}", "leave a comment on the {0} {{name!q}}: {{comment!q}}"), {"name": TEXT, "comment": TEXT}, {"comment": stock.text}),
)  # fmt: skip


def family_skills() -> list[Skill]:
    """Each deed on each thing: lists of these are alike, so that the list has to be read."""
    return [
        _skill(
            names.format(thing),
            description.format(thing),
            schemas,
            {**slots, "name": _some(*examples)},
            *[template.format(thing) for template in templates],
        )
        for thing, examples in _THINGS.items()
        for names, description, templates, schemas, slots in _DEEDS
    ]


def families() -> list[Sequence[Skill]]:
    """The families one by one: all that is done with one thing."""
    skills = family_skills()
    size = len(_DEEDS)
    return [skills[at : at + size] for at in range(0, len(skills), size)]


def pick(skills: Sequence[Skill], count: int, chance: random.Random) -> list[Skill]:
    return chance.sample(skills, min(count, len(skills)))
