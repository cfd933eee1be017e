"""Finds time zones by IANA name, city or common spelling."""

import re
import unicodedata
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo

NAME_CHARS = 80
_CONTINENTS = (
    *("Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian"),
    "Pacific",
)
# Last parts that name no place, or one that people seldom mean by it.
_NO_CITIES = {
    *("act", "center", "cordoba", "general", "lhi", "north", "nsw", "petersburg", "san juan", "south"),
    "west",
}
_UNSAID = re.compile("[.',]")
_BETWEEN = re.compile("_|(?<=[a-z])-(?=[a-z])")

# Cities and capitals that are no zone names, by the zone whose time they keep. Left out are names that as
# many people would take for another place: San Jose, Portland, Birmingham, Georgetown, Valencia.
_CITIES = {
    "Africa/Abidjan": "Yamoussoukro",
    "Africa/Bujumbura": "Gitega",
    "Africa/Cairo": "Alexandria, Giza",
    "Africa/Casablanca": "Rabat, Marrakesh, Marrakech, Fez",
    "Africa/Dar_es_Salaam": "Dodoma",
    "Africa/Johannesburg": "Pretoria, Cape Town, Durban, Bloemfontein",
    "Africa/Lagos": "Abuja, Ibadan, Kano",
    "Africa/Nairobi": "Mombasa",
    "America/Argentina/Buenos_Aires": "Buenos Aires, Rosario",
    "America/Bogota": "Medellin, Cali",
    "America/Chicago": "Houston, Dallas, Austin, San Antonio, Fort Worth, New Orleans, Nashville, Memphis,"
    " Minneapolis, St Louis, Saint Louis, Milwaukee, Kansas City, Oklahoma City, Omaha",
    "America/Denver": "Salt Lake City, Albuquerque, Santa Fe, Colorado Springs",
    "America/Edmonton": "Calgary",
    "America/Guayaquil": "Quito",
    "America/Jamaica": "Kingston",
    "America/Kentucky/Louisville": "Louisville",
    "America/La_Paz": "Sucre",
    "America/Los_Angeles": "San Francisco, SF, LA, Seattle, San Diego, Las Vegas, Sacramento, Oakland,"
    " Silicon Valley, Palo Alto, Hollywood",
    "America/Mexico_City": "Guadalajara, Puebla",
    "America/New_York": "NYC, New York City, Manhattan, Brooklyn, Washington, Washington DC, Boston,"
    " Philadelphia, Miami, Atlanta, Orlando, Baltimore, Pittsburgh, Cleveland, Charlotte, Tampa",
    "America/Phoenix": "Tucson",
    "America/Santiago": "Valparaiso",
    "America/Sao_Paulo": "Brasilia, Rio de Janeiro, Rio, Belo Horizonte, Curitiba, Porto Alegre",
    "America/St_Johns": "Saint Johns",
    "America/Toronto": "Ottawa, Montreal, Quebec City",
    "America/Winnipeg": "Manitoba",
    "Asia/Almaty": "Astana, Nur-Sultan",
    "Asia/Bangkok": "Chiang Mai, Phuket",
    "Asia/Damascus": "Aleppo",
    "Asia/Dubai": "Abu Dhabi, Sharjah",
    "Asia/Ho_Chi_Minh": "Hanoi, Ho Chi Minh City, Da Nang",
    "Asia/Jakarta": "Surabaya, Bandung",
    "Asia/Jerusalem": "Haifa",
    "Asia/Karachi": "Islamabad, Lahore, Rawalpindi, Faisalabad",
    "Asia/Kolkata": "Delhi, New Delhi, Mumbai, Bombay, Bangalore, Bengaluru, Chennai, Madras, Hyderabad,"
    " Pune, Ahmedabad, Jaipur, Lucknow, Surat",
    "Asia/Kuala_Lumpur": "Penang, Johor Bahru, Putrajaya",
    "Asia/Makassar": "Bali, Denpasar",
    "Asia/Manila": "Quezon City, Cebu, Davao",
    "Asia/Riyadh": "Jeddah, Mecca, Medina",
    "Asia/Seoul": "Busan, Incheon",
    "Asia/Shanghai": "Beijing, Peking, Guangzhou, Shenzhen, Chengdu, Wuhan, Tianjin, Hangzhou, Nanjing, Xian,"
    " Suzhou, Qingdao",
    "Asia/Tokyo": "Osaka, Kyoto, Yokohama, Nagoya, Sapporo, Kobe, Fukuoka, Hiroshima",
    "Asia/Yangon": "Naypyidaw",
    "Australia/Brisbane": "Gold Coast, Cairns",
    "Australia/Sydney": "Canberra, Newcastle NSW",
    "Europe/Amsterdam": "Rotterdam, The Hague, Den Haag, Utrecht, Eindhoven",
    "Europe/Athens": "Thessaloniki",
    "Europe/Berlin": "Munich, München, Hamburg, Frankfurt, Cologne, Köln, Stuttgart, Düsseldorf, Leipzig,"
    " Dresden, Hannover, Bonn",
    "Europe/Brussels": "Antwerp, Bruges, Ghent",
    "Europe/Istanbul": "Istanbul, Ankara, Izmir, Antalya",
    "Europe/Kyiv": "Kyiv, Kiev, Odesa, Odessa, Kharkiv, Lviv",
    "Europe/Lisbon": "Porto",
    "Europe/London": "Manchester, Edinburgh, Liverpool, Glasgow, Cardiff, Leeds, Bristol, Oxford",
    "Europe/Madrid": "Barcelona, Seville, Bilbao, Malaga",
    "Europe/Moscow": "St Petersburg, Saint Petersburg, Kazan, Sochi",
    "Europe/Oslo": "Bergen, Trondheim",
    "Europe/Paris": "Lyon, Marseille, Nice, Toulouse, Bordeaux, Strasbourg, Lille",
    "Europe/Rome": "Milan, Milano, Naples, Venice, Turin, Florence, Roma",
    "Europe/Stockholm": "Gothenburg, Malmo",
    "Europe/Vienna": "Wien, Salzburg, Graz, Innsbruck",
    "Europe/Warsaw": "Krakow, Gdansk, Wroclaw, Poznan",
    "Europe/Zurich": "Bern, Geneva, Genf, Basel, Lausanne",
    "Asia/Nicosia": "Nicosia",
    "Pacific/Auckland": "Wellington, Christchurch",
}  # fmt: skip


def load(name: str) -> ZoneInfo | None:
    """The zone of exactly this IANA name, or None."""
    # ZoneInfo refuses names that climb out of its folder; a folder, or a name too long, is an OSError.
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None


def find(name: str) -> ZoneInfo | None:
    """The zone of an IANA name in any spelling, or of a city; None when nobody knows it."""
    if len(name) > NAME_CHARS or not name.isprintable():
        return None
    zone = load(name)
    if zone is None and (known := _table().get(_fold(name))):
        zone = load(known)
    return zone


def nearest(name: str) -> list[str]:
    """Up to three zones whose names, or whose cities' names, look like this one; it takes some 5 ms."""
    found = get_close_matches(_fold(name[:NAME_CHARS]), _table(), 3, 0.7)
    return list(dict.fromkeys(_table()[near] for near in found))


def names() -> list[str]:
    """Every IANA name, in its usual spelling."""
    return files("tzdata").joinpath("zones").read_text(encoding="utf-8").split()


@cache
def _table() -> dict[str, str]:
    """The zone of each name as `_fold` writes it; full names win over cities."""
    known = names()
    table: dict[str, str] = {}
    for name in known:
        continent, _, place = name.rpartition("/")
        city = _fold(place)
        if continent.startswith(_CONTINENTS) and city not in _NO_CITIES:
            table.setdefault(city, name)
    for zone, cities in _CITIES.items():
        table |= {_fold(city): zone for city in cities.split(",")}
    return table | {_fold(name): name for name in known}


def _fold(name: str) -> str:
    """A name without case, accents, dots and apostrophes, its words parted by one blank."""
    plain = name.casefold()
    if not plain.isascii():
        letters = unicodedata.normalize("NFKD", plain).replace("’", "")
        plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return " ".join(_BETWEEN.sub(" ", _UNSAID.sub("", plain)).split())
