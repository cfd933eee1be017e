"""Messages kept back for measuring: never trained on, none of their tools but our own is in the training data.

A case is the message, the tool (None for talk) and the arguments; a list names several right values.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from oneclaw.core.tool import ToolDefinition
from oneclaw.tools.builtin import load
from training.own import ON_DEVICE

Row = tuple[str, str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Case:
    message: str
    tool: str | None
    arguments: Mapping[str, Any]


PLAIN: tuple[Row, ...] = (
    ("What time is it in Nairobi?", "get_current_time", {"timezone": "Nairobi"}),
    ("What time is it in Buenos Aires right now?", "get_current_time", {"timezone": "Buenos Aires"}),
    ("Tell me the current time.", "get_current_time", {}),
    ("What is the date today?", "get_current_time", {}),
    ("What day of the week is it?", "get_current_time", {}),
    ("Time in Kuala Lumpur please", "get_current_time", {"timezone": "Kuala Lumpur"}),
    ("What's the time in America/Chicago?", "get_current_time", {"timezone": "America/Chicago"}),
    ("Read the file holiday.txt", "read_file", {"path": "holiday.txt"}),
    ("Show me the contents of src/engine/motor.py", "read_file", {"path": "src/engine/motor.py"}),
    ("What does pricing.csv contain?", "read_file", {"path": "pricing.csv"}),
    ("Open ~/letters/grandma.md", "read_file", {"path": "~/letters/grandma.md"}),
    ("Print the file called VERSION.txt", "read_file", {"path": "VERSION.txt"}),
    ("Please read /etc/hosts to me", "read_file", {"path": "/etc/hosts"}),
    ("Can you display todo-2025.md?", "read_file", {"path": "todo-2025.md"}),
    ("What is written in speech.tex?", "read_file", {"path": "speech.tex"}),
    (
        "Save 'buy bread and cheese' to groceries.txt",
        "write_file",
        {"path": "groceries.txt", "content": "buy bread and cheese"},
    ),
    (
        'Write "the eagle has landed" to moon.txt',
        "write_file",
        {"path": "moon.txt", "content": "the eagle has landed"},
    ),
    (
        "Create a file named pets.md with the text: one dog, two cats",
        "write_file",
        {"path": "pets.md", "content": "one dog, two cats"},
    ),
    (
        "Put the line timeout = 30 in settings/local.ini",
        "write_file",
        {"path": "settings/local.ini", "content": "timeout = 30"},
    ),
    (
        "Write the words see you in September into card.txt",
        "write_file",
        {"path": "card.txt", "content": "see you in September"},
    ),
    (
        'Append "call the plumber" to chores.txt',
        "write_file",
        {"path": "chores.txt", "content": "call the plumber", "mode": "append"},
    ),
    (
        "Add 'oat milk' to shopping/list.md",
        "write_file",
        {"path": "shopping/list.md", "content": "oat milk", "mode": "append"},
    ),
    (
        "Save this to quote.txt: knowledge is power",
        "write_file",
        {"path": "quote.txt", "content": "knowledge is power"},
    ),
    ("List the files in the reports folder", "list_files", {"path": "reports"}),
    ("Show me all files in ~/Pictures", "list_files", {"path": "~/Pictures"}),
    ("What files are in my workspace?", "list_files", {}),
    ("List my files", "list_files", {}),
    ("What is in the folder music/live?", "list_files", {"path": "music/live"}),
    ("List everything in the current folder", "list_files", {}),
    ("Find all python files", "find_files", {"pattern": ["*.py", "**/*.py"]}),
    ("Find every .pdf file", "find_files", {"pattern": "*.pdf"}),
    ("Find files with wedding in the name", "find_files", {"pattern": "*wedding*"}),
    ("Find all csv files in exports", "find_files", {"pattern": "*.csv", "path": "exports"}),
    ("Look for files named thesis.docx", "find_files", {"pattern": "thesis.docx"}),
    ("Find *.toml", "find_files", {"pattern": "*.toml"}),
    ("Search my files for the word umbrella", "search_text", {"pattern": "umbrella"}),
    ("Which files mention Berlin?", "search_text", {"pattern": "Berlin"}),
    ("Search app.log for timeout", "search_text", {"pattern": "timeout", "path": "app.log"}),
    (
        'Find lines containing "out of stock" in inventory',
        "search_text",
        {"pattern": "out of stock", "path": "inventory"},
    ),
    ("Grep for deprecated in src", "search_text", {"pattern": "deprecated", "path": "src"}),
    (
        "Search notes for the phrase 'second opinion'",
        "search_text",
        {"pattern": "second opinion", "path": "notes"},
    ),
    ("Fetch https://news.ycombinator.com", "http_request", {"url": "https://news.ycombinator.com"}),
    (
        "Download https://files.acme.org/catalog.json",
        "http_request",
        {"url": "https://files.acme.org/catalog.json"},
    ),
    (
        "Make a GET request to http://localhost:4000/ping",
        "http_request",
        {"url": "http://localhost:4000/ping"},
    ),
    (
        "Send a POST request to https://api.shop.dev/v3/carts",
        "http_request",
        {"url": "https://api.shop.dev/v3/carts", "method": "POST"},
    ),
    (
        "Call DELETE on https://api.zoo.io/animals/17",
        "http_request",
        {"url": "https://api.zoo.io/animals/17", "method": "DELETE"},
    ),
    (
        "Get the page http://museum.example/opening-hours.html",
        "http_request",
        {"url": "http://museum.example/opening-hours.html"},
    ),
    ("Is https://status.mybank.com up?", "http_request", {"url": "https://status.mybank.com"}),
    (
        "Remember that my favorite composer is Bach",
        "memory_store",
        {"key": "favorite composer", "value": "Bach"},
    ),
    ("Remember my locker code is 7781", "memory_store", {"key": "locker code", "value": "7781"}),
    (
        "Please remember that my daughter's birthday is March 3rd",
        "memory_store",
        {"key": "daughter's birthday", "value": "March 3rd"},
    ),
    ("Store my clinic as Northside Health", "memory_store", {"key": "clinic", "value": "Northside Health"}),
    (
        "Don't forget that our guest wifi is bluefish42",
        "memory_store",
        {"key": "guest wifi", "value": "bluefish42"},
    ),
    (
        "My car insurance is with Allianz, remember that",
        "memory_store",
        {"key": "car insurance", "value": ["Allianz", "with Allianz"]},
    ),
    ("What is my locker code?", "memory_search", {"query": "locker code"}),
    ("What's my favorite composer?", "memory_search", {"query": "favorite composer"}),
    ("Do you remember my daughter's birthday?", "memory_search", {"query": "daughter's birthday"}),
    ("Search your memory for guest wifi", "memory_search", {"query": "guest wifi"}),
    ("What do you know about my clinic?", "memory_search", {"query": ["clinic", "my clinic"]}),
    ("Forget my locker code", "memory_forget", {"key": "locker code"}),
    ("Please forget my favorite composer", "memory_forget", {"key": "favorite composer"}),
    ("Delete my clinic from your memory", "memory_forget", {"key": "clinic"}),
)
HARDER: tuple[Row, ...] = (
    (
        "I'm ringing a supplier in Taipei, would I wake them up at this hour?",
        "get_current_time",
        {"timezone": "Taipei"},
    ),
    (
        "are the shops in lisbon still open at this hour, whats the clock there",
        "get_current_time",
        {"timezone": "lisbon"},
    ),
    ("my phone died, how late is it getting", "get_current_time", {}),
    ("Which weekday do we have?", "get_current_time", {}),
    ("need today's date for a form i'm filling in", "get_current_time", {}),
    (
        "If it is noon here, fine, but what is it in Wellington at the moment?",
        "get_current_time",
        {"timezone": "Wellington"},
    ),
    ("gimme the hour over in San Diego", "get_current_time", {"timezone": "San Diego"}),
    (
        "I can't recall a thing I wrote down in gift-ideas.txt, have a look would you",
        "read_file",
        {"path": "gift-ideas.txt"},
    ),
    (
        "Would you mind going over chapter_07.rst and telling me how it ends?",
        "read_file",
        {"path": "chapter_07.rst"},
    ),
    ("whats inside of docker-compose.yml", "read_file", {"path": "docker-compose.yml"}),
    (
        "I was told the answer is hidden in clues/step2.txt - let's see it",
        "read_file",
        {"path": "clues/step2.txt"},
    ),
    (
        "Before the meeting I should know what agenda_friday.md has to say.",
        "read_file",
        {"path": "agenda_friday.md"},
    ),
    ("run me through settings.json", "read_file", {"path": "settings.json"}),
    ("bring up the text of ./poems/autumn.txt on screen", "read_file", {"path": "./poems/autumn.txt"}),
    ("Could I get a quick recap of minutes/2024-11-02.md?", "read_file", {"path": "minutes/2024-11-02.md"}),
    (
        "jot down pick up dry cleaning in errands.txt would you",
        "write_file",
        {"path": "errands.txt", "content": "pick up dry cleaning"},
    ),
    (
        'I need a new file, greeting.html, and all it should have inside is "<p>Welcome</p>"',
        "write_file",
        {"path": "greeting.html", "content": "<p>Welcome</p>"},
    ),
    (
        "let the file motto.txt read 'fortune favours the bold' from now on",
        "write_file",
        {"path": "motto.txt", "content": "fortune favours the bold"},
    ),
    (
        "drop the sentence “we ship on Thursday” into plans/next.md for me",
        "write_file",
        {"path": "plans/next.md", "content": "we ship on Thursday"},
    ),
    (
        "stick 'eggs' at the bottom of basket.txt, appending please",
        "write_file",
        {"path": "basket.txt", "content": "eggs", "mode": "append"},
    ),
    (
        "Could you make me a text file haiku.txt that goes: old silent pond",
        "write_file",
        {"path": "haiku.txt", "content": "old silent pond"},
    ),
    (
        "there's a line I want kept in ledger.csv: 2024-05-01,rent,900",
        "write_file",
        {"path": "ledger.csv", "content": "2024-05-01,rent,900"},
    ),
    (
        "put down that the boiler was serviced today in house-log.md",
        "write_file",
        {
            "path": "house-log.md",
            "content": ["the boiler was serviced today", "that the boiler was serviced today"],
        },
    ),
    (
        "please take this and store it in idea42.txt: a clock that runs backwards",
        "write_file",
        {"path": "idea42.txt", "content": "a clock that runs backwards"},
    ),
    ("anything lying around in the attic folder?", "list_files", {"path": "attic"}),
    ("what have we got here, file-wise?", "list_files", {}),
    ("gimme an overview of everything stored under archive/2019", "list_files", {"path": "archive/2019"}),
    ("I wonder which documents live in the taxes directory", "list_files", {"path": "taxes"}),
    ("whats sitting in ~/Downloads", "list_files", {"path": "~/Downloads"}),
    ("do I have any files at all?", "list_files", {}),
    (
        "somewhere I have a file with 'passport' in its name, track it down",
        "find_files",
        {"pattern": "*passport*"},
    ),
    ("where on earth did I leave cv_final.docx", "find_files", {"pattern": "cv_final.docx"}),
    ("any markdown files lying about in drafts?", "find_files", {"pattern": "*.md", "path": "drafts"}),
    ("I need the whereabouts of all my .xlsx files", "find_files", {"pattern": "*.xlsx"}),
    ("dig out every json file you can find", "find_files", {"pattern": "*.json"}),
    ("which of my notes say something about quinoa", "search_text", {"pattern": "quinoa"}),
    (
        "have I ever written the name Konstantin anywhere in my files",
        "search_text",
        {"pattern": "Konstantin"},
    ),
    (
        "Somebody used eval( in lib/parser.js, show me the lines",
        "search_text",
        {"pattern": ["eval(", "eval"], "path": "lib/parser.js"},
    ),
    (
        "go hunting for 'segmentation fault' through logs/",
        "search_text",
        {"pattern": "segmentation fault", "path": "logs/"},
    ),
    (
        "does contract.txt say anything about termination",
        "search_text",
        {"pattern": "termination", "path": "contract.txt"},
    ),
    (
        "at which lines does report.md talk about churn?",
        "search_text",
        {"pattern": "churn", "path": "report.md"},
    ),
    (
        "see what comes back from https://api.ipify.org?format=json",
        "http_request",
        {"url": "https://api.ipify.org?format=json"},
    ),
    (
        "I think http://intranet.local/wiki is dead, can you confirm?",
        "http_request",
        {"url": "http://intranet.local/wiki"},
    ),
    (
        "pull down www.gutenberg.org for me",
        "http_request",
        {"url": ["https://www.gutenberg.org", "www.gutenberg.org"]},
    ),
    (
        "fire off an empty PUT at https://hooks.dev/refresh",
        "http_request",
        {"url": "https://hooks.dev/refresh", "method": "PUT"},
    ),
    (
        "only the headers please, so a HEAD on https://cdn.site/logo.png",
        "http_request",
        {"url": "https://cdn.site/logo.png", "method": "HEAD"},
    ),
    (
        "I'd love to read whatever is at https://blog.rust-lang.org today",
        "http_request",
        {"url": "https://blog.rust-lang.org"},
    ),
    (
        "Save my email as lena.koch@posteo.de",
        "memory_store",
        {"key": ["email", "my email"], "value": "lena.koch@posteo.de"},
    ),
    (
        "you should know my partner's called Benedikt, keep it in mind",
        "memory_store",
        {"key": ["partner", "partner's", "partner's called", "my partner"], "value": "Benedikt"},
    ),
    (
        "for future reference: the alarm code of the office is 9034",
        "memory_store",
        {"key": ["alarm code", "alarm code of the office", "the alarm code of the office"], "value": "9034"},
    ),
    (
        "I'm allergic to walnuts, never forget that",
        "memory_store",
        {"key": ["allergic", "allergic to", "I'm allergic to"], "value": "walnuts"},
    ),
    (
        "make a mental note, our anniversary is on 12 October",
        "memory_store",
        {"key": ["anniversary", "our anniversary"], "value": "12 October"},
    ),
    ("commit to memory: shoe size 43", "memory_store", {"key": "shoe size", "value": "43"}),
    (
        "as of today I live in Ghent, please hold on to that",
        "memory_store",
        {"key": ["live in", "I live in", "live"], "value": "Ghent"},
    ),
    ("what was that alarm code I gave you?", "memory_search", {"query": ["alarm code", "that alarm code"]}),
    ("did I ever mention where I live?", "memory_search", {"query": ["where I live", "live", "I live"]}),
    (
        "remind me what I'm allergic to",
        "memory_search",
        {"query": ["allergic", "allergic to", "what I'm allergic to", "I'm allergic to"]},
    ),
    ("any idea what my shoe size was", "memory_search", {"query": "shoe size"}),
    ("who did I say my partner was?", "memory_search", {"query": ["partner", "my partner"]}),
    (
        "the alarm code changed so scrap it from your memory",
        "memory_forget",
        {"key": ["alarm code", "the alarm code"]},
    ),
    (
        "I'd rather you didn't keep my shoe size any longer, forget it",
        "memory_forget",
        {"key": ["shoe size", "my shoe size"]},
    ),
    (
        "wipe our anniversary from what you remember",
        "memory_forget",
        {"key": ["anniversary", "our anniversary"]},
    ),
)
UNSEEN: tuple[Row, ...] = (
    ("What is 15 * 23 + 7?", "calculator", {"expression": "15 * 23 + 7"}),
    ("Work out (88 - 12) / 4 for me", "calculator", {"expression": "(88 - 12) / 4"}),
    ("compute 2^10", "calculator", {"expression": "2^10"}),
    ("Will it rain in Hamburg tomorrow?", "get_weather", {"city": "Hamburg"}),
    ("What's the weather like in New Orleans?", "get_weather", {"city": "New Orleans"}),
    ("how hot is it in marrakesh", "get_weather", {"city": "marrakesh"}),
    (
        "Send an email to tom@acme.com saying the parcel arrived",
        "send_email",
        {"to": "tom@acme.com", "body": "the parcel arrived"},
    ),
    (
        "Email lisa@uni.edu: I will be ten minutes late",
        "send_email",
        {"to": "lisa@uni.edu", "body": "I will be ten minutes late"},
    ),
    ('mail "see attached" to boss@corp.io', "send_email", {"to": "boss@corp.io", "body": "see attached"}),
    ("Delete old_notes.txt", "delete_file", {"path": "old_notes.txt"}),
    ("please get rid of tmp/cache.bin", "delete_file", {"path": "tmp/cache.bin"}),
    ("I don't need draft3.doc any more, remove it", "delete_file", {"path": "draft3.doc"}),
    (
        "Translate 'good morning' into Italian",
        "translate_text",
        {"text": "good morning", "language": "Italian"},
    ),
    (
        "How do you say 'where is the station' in Polish?",
        "translate_text",
        {"text": "where is the station", "language": "Polish"},
    ),
    ("put 'thank you' into Japanese", "translate_text", {"text": "thank you", "language": "Japanese"}),
    (
        "Remind me to take my pills at 8 pm",
        "create_reminder",
        {"task": ["take my pills", "to take my pills"], "time": ["8 pm", "at 8 pm"]},
    ),
    (
        "set a reminder to call Grandpa on Sunday",
        "create_reminder",
        {"task": ["call Grandpa", "to call Grandpa"], "time": ["Sunday", "on Sunday"]},
    ),
    (
        "Don't let me forget to move the car tomorrow morning",
        "create_reminder",
        {"task": ["move the car", "to move the car"], "time": "tomorrow morning"},
    ),
    ("Run the command ls -la", "run_shell", {"command": "ls -la"}),
    ("execute git status in the terminal", "run_shell", {"command": "git status"}),
    ("Run `df -h` please", "run_shell", {"command": "df -h"}),
    (
        "Order a taxi from Hill Road 3 to the opera",
        "order_taxi",
        {"pickup": "Hill Road 3", "dropoff": "the opera"},
    ),
    (
        "I need a cab to the stadium, pick me up at Elm Square",
        "order_taxi",
        {"pickup": "Elm Square", "dropoff": "the stadium"},
    ),
    (
        "taxi from the museum to Gate Street 9 please",
        "order_taxi",
        {"pickup": "the museum", "dropoff": "Gate Street 9"},
    ),
    ("Lock the back door", "lock_door", {"door": ["back", "back door", "the back door"]}),
    (
        "is the garage door locked? if not lock the garage door",
        "lock_door",
        {"door": ["garage", "garage door", "the garage door"]},
    ),
    ("Please lock the front door", "lock_door", {"door": ["front", "front door", "the front door"]}),
    (
        "Give the ferns 200 milliliters of water",
        "water_plants",
        {"plant": ["the ferns", "ferns"], "milliliters": 200},
    ),
    ("water the orchid with 50 ml", "water_plants", {"plant": ["the orchid", "orchid"], "milliliters": 50}),
    (
        "the basil is dry, 120 ml for it",
        "water_plants",
        {"plant": ["the basil", "basil"], "milliliters": 120},
    ),
    (
        "Find parking near the cathedral",
        "find_parking",
        {"place": ["the cathedral", "cathedral", "near the cathedral"]},
    ),
    (
        "where can I park close to Union Station?",
        "find_parking",
        {"place": ["Union Station", "close to Union Station"]},
    ),
    (
        "I need somewhere to leave my car by the lake",
        "find_parking",
        {"place": ["the lake", "lake", "by the lake"]},
    ),
    ("Use beach.png as my wallpaper", "set_wallpaper", {"image": "beach.png"}),
    ("change the desktop background to art/stars.jpg", "set_wallpaper", {"image": "art/stars.jpg"}),
    ("make mountains.webp my background picture", "set_wallpaper", {"image": "mountains.webp"}),
    ("Turn the fan to high", "set_fan_speed", {"speed": "high"}),
    ("fan on low please", "set_fan_speed", {"speed": "low"}),
    ("put the fan at medium speed", "set_fan_speed", {"speed": "medium"}),
    (
        "Check the spell Fireball in the rule book",
        "look_up_spell",
        {"spell": ["Fireball", "the spell Fireball", "spell Fireball"]},
    ),
    ("what does the spell Mage Hand do?", "look_up_spell", {"spell": ["Mage Hand", "the spell Mage Hand"]}),
    ("rules for the spell Misty Step", "look_up_spell", {"spell": ["Misty Step", "the spell Misty Step"]}),
)
FRESH: tuple[Row, ...] = (
    ("what's the local time over in Hobart", "get_current_time", {"timezone": "Hobart"}),
    ("is it still Wednesday?", "get_current_time", {}),
    ("how many hours ahead... just tell me the time in Sofia", "get_current_time", {"timezone": "Sofia"}),
    ("what's today", "get_current_time", {}),
    ("could you open up budget_2026.csv", "read_file", {"path": "budget_2026.csv"}),
    ("I'd like to hear what letter-to-bank.txt says", "read_file", {"path": "letter-to-bank.txt"}),
    ("check whats in .env.local", "read_file", {"path": ".env.local"}),
    ("contents of server/routes.ts please", "read_file", {"path": "server/routes.ts"}),
    ("tell me what is in the file named plan.txt", "read_file", {"path": "plan.txt"}),
    (
        "write down 'renew the passport' in tasks/june.txt",
        "write_file",
        {"path": "tasks/june.txt", "content": "renew the passport"},
    ),
    ('make file a.txt with "alpha beta"', "write_file", {"path": "a.txt", "content": "alpha beta"}),
    (
        "save the text I am on holiday until Monday into autoreply.txt",
        "write_file",
        {"path": "autoreply.txt", "content": "I am on holiday until Monday"},
    ),
    (
        "add 'sugar' to list.txt please",
        "write_file",
        {"path": "list.txt", "content": "sugar", "mode": "append"},
    ),
    ('store "v1.4.2" in VERSION.txt', "write_file", {"path": "VERSION.txt", "content": "v1.4.2"}),
    (
        "put this into story.md: It was a dark and stormy night",
        "write_file",
        {"path": "story.md", "content": "It was a dark and stormy night"},
    ),
    ("show the files of the invoices folder", "list_files", {"path": "invoices"}),
    ("what have I got in ./build", "list_files", {"path": "./build"}),
    ("list all the files you can see", "list_files", {}),
    ("tell me which files I have saved so far", "list_files", {}),
    ("find every yaml file", "find_files", {"pattern": "*.yaml"}),
    ("is there a file called secrets.json somewhere?", "find_files", {"pattern": "secrets.json"}),
    ("find files whose name has holiday in it", "find_files", {"pattern": "*holiday*"}),
    ("locate all .mp3 files in music", "find_files", {"pattern": "*.mp3", "path": "music"}),
    (
        "look for 'unauthorized' in access.log",
        "search_text",
        {"pattern": "unauthorized", "path": "access.log"},
    ),
    ("which files contain the word lighthouse", "search_text", {"pattern": "lighthouse"}),
    ("search the docs folder for license", "search_text", {"pattern": "license", "path": "docs"}),
    ("where do my files mention Oskar", "search_text", {"pattern": "Oskar"}),
    ("get https://api.coinbase.com/v2/time", "http_request", {"url": "https://api.coinbase.com/v2/time"}),
    ("does http://10.0.0.5:9000/health answer", "http_request", {"url": "http://10.0.0.5:9000/health"}),
    (
        "do a DELETE on http://localhost:8000/sessions/4",
        "http_request",
        {"url": "http://localhost:8000/sessions/4", "method": "DELETE"},
    ),
    ("what is on https://lobste.rs right now", "http_request", {"url": "https://lobste.rs"}),
    (
        "remember that my blood type is AB positive",
        "memory_store",
        {"key": "blood type", "value": "AB positive"},
    ),
    (
        "my hotel room number is 1204, please remember",
        "memory_store",
        {"key": ["hotel room number", "room number"], "value": "1204"},
    ),
    (
        "keep in mind my flight leaves on July 9th",
        "memory_store",
        {
            "key": ["flight", "my flight", "flight leaves", "flight leaves on"],
            "value": ["July 9th", "leaves on July 9th", "on July 9th"],
        },
    ),
    ("note that the garage code is 5512", "memory_store", {"key": "garage code", "value": "5512"}),
    ("what's my blood type?", "memory_search", {"query": "blood type"}),
    ("do you remember my hotel room number", "memory_search", {"query": "hotel room number"}),
    ("what was the garage code again?", "memory_search", {"query": ["garage code", "the garage code"]}),
    ("forget the garage code", "memory_forget", {"key": ["garage code", "the garage code"]}),
    ("please delete my blood type from memory", "memory_forget", {"key": "blood type"}),
)
FRESH_UNSEEN: tuple[Row, ...] = (
    ("How far is it from Lyon to Turin?", "measure_distance", {"start": "Lyon", "end": "Turin"}),
    (
        "distance between the school and the harbour",
        "measure_distance",
        {"start": ["the school", "school"], "end": ["the harbour", "harbour"]},
    ),
    ("Report message 8841 as spam", "report_spam", {"message_id": ["8841", "message 8841"]}),
    ("mark A-17 as spam please", "report_spam", {"message_id": "A-17"}),
    ("Print a label for Baker Street 221", "print_label", {"address": "Baker Street 221"}),
    ("I need an address label: Via Roma 5, Pisa", "print_label", {"address": "Via Roma 5, Pisa"}),
    ("Open the curtains in the dining room", "open_curtains", {"room": ["dining room", "the dining room"]}),
    ("let some light in, open the study curtains", "open_curtains", {"room": ["study", "the study"]}),
    (
        "Donate 25 dollars to the Red Cross",
        "donate",
        {"charity": ["the Red Cross", "Red Cross"], "amount": 25},
    ),
    ("give 100 to Amnesty as a donation", "donate", {"charity": "Amnesty", "amount": 100}),
    ("Which plant is this: garden/leaf.jpg", "identify_plant", {"image": "garden/leaf.jpg"}),
    ("identify the plant in IMG_2210.png", "identify_plant", {"image": "IMG_2210.png"}),
    ("Tune the guitar to drop D", "tune_guitar", {"tuning": "drop D"}),
    ("standard tuning for the guitar please", "tune_guitar", {"tuning": ["standard", "standard tuning"]}),
    ("Solve the crossword clue 'river in Egypt'", "solve_clue", {"clue": "river in Egypt"}),
    ("help with a clue: capital without an A", "solve_clue", {"clue": "capital without an A"}),
)
TALK: tuple[str, ...] = (
    "Hello there!",
    "Hey, how have things been?",
    "Good afternoon to you",
    "Thanks a million",
    "That was really useful, cheers",
    "Bye for now",
    "haha good one",
    "Who made you?",
    "Are you conscious?",
    "What's your name, by the way?",
    "What kind of things can you help with?",
    "Do you ever get bored?",
    "Tell me a joke about penguins",
    "Write me a limerick about a sailor",
    "Make up a bedtime story",
    "What is the capital of Mongolia?",
    "How many legs does an octopus have?",
    "Who painted Guernica?",
    "What is 7 times 8?",
    "Why is the sea salty?",
    "Explain gravity to a child",
    "Is a tomato a fruit?",
    "What's the meaning of life?",
    "Which is better, tea or coffee?",
    "I'm feeling a bit down today",
    "I just got a promotion!",
    "It's pouring outside",
    "My cat knocked over the vase again",
    "I hate Mondays",
    "I read a wonderful book last week",
    "Time really flies when you're having fun",
    "I never forget a face",
    "Files and folders confuse my grandfather",
    "We visited Vienna in spring and loved it",
    "The internet was a mistake",
    "What is a text file, actually?",
    "How do search engines work?",
    "Should I learn Python or Java?",
    "Give me three tips for better sleep",
    "No, that's not what I meant",
    "Okay",
    "I'd like your opinion on modern art",
)


def _tool(name: str, description: str, *required: str, **schemas: Mapping[str, Any]) -> ToolDefinition:
    members = {each: {"type": "string"} for each in required} | {
        name: dict(value) for name, value in schemas.items()
    }
    parameters = {"type": "object", "properties": members, "required": [*required, *schemas]}
    return ToolDefinition(name=name, description=description, parameters=parameters)


def on_device_tools() -> list[ToolDefinition]:
    return [load(name).definition for name in ON_DEVICE]


def unseen_tools() -> list[ToolDefinition]:
    return [
        _tool("calculator", "Evaluate a math expression", "expression"),
        _tool("get_weather", "Get the weather for a city", "city"),
        _tool("send_email", "Send an email message to someone", "to", "body"),
        _tool("delete_file", "Delete a file from disk", "path"),
        _tool("translate_text", "Translate text into another language", "text", "language"),
        _tool("create_reminder", "Create a reminder for a task at a time", "task", "time"),
        _tool("run_shell", "Run a shell command", "command"),
        _tool("order_taxi", "Order a taxi from one place to another", "pickup", "dropoff"),
        _tool("lock_door", "Lock a door of the house", "door"),
        _tool("water_plants", "Water a plant", "plant", milliliters={"type": "integer"}),
        _tool("find_parking", "Find a parking space near a place", "place"),
        _tool("set_wallpaper", "Set the desktop wallpaper to an image file", "image"),
        _tool(
            "set_fan_speed",
            "Set the speed of the fan",
            speed={"type": "string", "enum": ["low", "medium", "high"]},
        ),
        _tool("look_up_spell", "Look up the rules of a magic spell in the game", "spell"),
    ]


def fresh_unseen_tools() -> list[ToolDefinition]:
    return [
        _tool("measure_distance", "Measure the distance between two places", "start", "end"),
        _tool("report_spam", "Report a message as spam", "message_id"),
        _tool("print_label", "Print an address label", "address"),
        _tool("open_curtains", "Open the curtains of a room", "room"),
        _tool("donate", "Donate money to a charity", "charity", amount={"type": "integer"}),
        _tool("identify_plant", "Identify the plant on a photo", "image"),
        _tool("tune_guitar", "Tune the guitar", "tuning"),
        _tool("solve_clue", "Solve a crossword clue", "clue"),
    ]


def cases(name: str) -> tuple[list[ToolDefinition], list[Case]]:
    """The tools and the cases of one of the sets."""
    if name == "talk":
        return on_device_tools(), [Case(each, None, {}) for each in TALK]
    if name == "unseen":
        return unseen_tools(), [Case(*each) for each in UNSEEN]
    if name == "fresh_unseen":
        return fresh_unseen_tools(), [Case(*each) for each in FRESH_UNSEEN]
    rows = {"plain": PLAIN, "harder": HARDER, "fresh": FRESH}[name]
    return on_device_tools(), [Case(*each) for each in rows]


def every_message() -> Iterator[str]:
    for rows in (PLAIN, HARDER, UNSEEN, FRESH, FRESH_UNSEEN):
        yield from (each[0] for each in rows)
    yield from TALK
