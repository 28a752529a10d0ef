/** Words and phrases that customers use for one another, one group a line. Verbs stand in their plain form: endings are taken off. */
export const SYNONYMS_EN = `
delivery, deliver, shipping, ship, shipment, postage, dispatch, courier
parcel, package, packet, box
refund, money back, reimburse, reimbursement, get my money, chargeback
return, send back, sent back, sending back, bring back, give back, mail back, take back
exchange, swap, replace, replacement, trade in, different size, different colour, different color
cancel, cancellation, call off, terminate, stop, end, quit, back out, opt out
cost, price, pricing, fee, charge, rate, tariff, how much, expensive, pay for
buy, purchase, order, get one
order, purchase, booking
pay, payment, paying, paid, checkout, pay by, pay with
bill, billing, billed, invoice, charge, charged
invoice, receipt, bill, proof of purchase, vat
discount, coupon, voucher, promo, promotion, promotional, money off, special price, reduction, deal, special offer
code, coupon, voucher, promo
cheap, cheaper, lower price, less expensive, price match, better price, same price
gift card, gift certificate, voucher, gift voucher
instalment, installment, split the cost, spread the cost, pay monthly, monthly payments, pay later, payment plan, few months
declined, rejected, refused, not authorised, not authorized, failed, does not go through, error
card, credit card, debit card, visa, mastercard
bank transfer, wire, wire transfer, transfer
cash, money, banknotes
login, log in, logging in, logged in, sign in, signin, sign on, log on, access my account, get in
locked out, can not log in, cannot log in, blocked, can't get in, lost access, unlock
password, passcode, pin, login details, credentials, my login
forgot, forgotten, forget, do not remember, don't remember, can not remember, can't remember, lost
reset, recover, recovery, set a new
account, profile, user account
register, registration, sign up, signup, create an account, open an account, join
delete, remove, erase, wipe, get rid of, close, take away, take off, throw away, clear
damaged, damage, broken, broke, defective, faulty, cracked, torn, ripped, scratched, does not work, stopped working
wrong, incorrect, mistake, instead of, not what i ordered, mixed up
missing, lost, not arrived, never came, never arrived, did not get, not received, nothing there, disappeared
track, tracking, where is, where's, whereabouts, status, on its way
late, delayed, delay, overdue, still waiting, taking so long
how long, how many days, how soon, how fast, how quickly, duration
phone, mobile, cell, smartphone, telephone, cellphone
phone number, call, hotline, telephone number, ring
email, mail, e-mail, inbox
contact, reach, talk, call, speak, get in touch, write to, message
support, help, customer service, customer care, human, person, representative, live agent, live chat, real person, someone, staff, talk to
complaint, complain, unhappy, dissatisfied, feedback
opening hours, open, opening, hours, closing time, close, closed, business hours, what time
store, shop, showroom, branch, outlet, location, in person, physical, office
address, home, house, postal address, where are you, location, directions
move, moving, moved, relocate, new home, new address
size, sizing, fit, large, medium, small, tight, loose, bigger, smaller, too big, too small, measurements
repair, fix, mend, service, maintenance
warranty, guarantee, covered, cover, coverage
wash, clean, cleaning, laundry, care for
waterproof, water repellent, water resistant, soak, rain
rent, rental, hire, borrow, lease, loan
stock, in stock, available, unavailable, availability, sold out, restock, run out, back in stock
pre-order, preorder, reserve, coming soon, not released, before release
pick up, pickup, collect, collection, grab, fetch
expire, expiry, expiration, valid, validity, still good, out of date, run out
deadline, time limit, within, until when, last day, too late
student, university, college, school, pupil
charity, nonprofit, non-profit, ngo, not for profit
senior, pensioner, retired, elderly
child, children, kid, kids, baby, infant, toddler
international, internationally, abroad, overseas, foreign, another country, countries, country, worldwide, outside
customs, duty, duties, import tax, tax, taxes
unsubscribe, spam, newsletter, marketing, too many emails, mailing list, opt out
notification, notify, alert, ping, reminder, remind
subscription, subscribe, membership, member, plan, package, tier
renew, renewal, auto-renew, automatic renewal, billed again, extend, prolong
trial, try, test, try out, demo
free, no charge, at no cost, without paying, for nothing, complimentary, gratis
upgrade, higher plan, more features, premium, move up, better plan
downgrade, lower plan, cheaper plan, cheaper tier, smaller plan
plan, pricing, tier, version
include, included, contain, what do i get, benefits, perks, come with, cover
invite, add, join, bring in
team, colleague, coworker, staff, employee, member, teammate, people
user, member, seat, people, person
company, business, organisation, organization, firm, corporate, employer
guest, client, freelancer, contractor, external, outside, visitor, customer
owner, ownership, founder, hand over, take over
admin, administrator, manager
role, permission, permissions, rights, access
project, board, workspace
task, to-do, todo, card, item
create, set up, start, new, make, add, begin, open
change, update, edit, modify, switch, adjust, correct, different
restore, undo, recover, get back, get it back, bring back, undelete
archive, hide, put away
upload, attachment, attach, file
limit, maximum, max, at most, how many, how large, how big, too big, cap, allowance, quota
file, document, attachment, picture, photo, video
app, application, mobile app, software
data, information, records
stored, located, server, servers, hosted, data centre, data center, kept, where is my data
privacy, personal data, gdpr, data protection
secure, security, safe, protect, protection
two-factor, 2fa, two step, two-step, authenticator, second factor, mfa, verification code, one-time code
single sign-on, sso, saml, identity provider, company login
export, download, backup, back up, save a copy
import, bring over, migrate, migration, move over, moving over, switch from, spreadsheet
integration, integrate, connect, connector, link, sync, plug in
api, developer, script, webhook, programmatically, automate
offline, without wifi, no connection, no internet, without internet, no signal
recurring, repeat, repeating, every week, every day, every month, weekly, daily, regular
dependency, depend, dependent, waits on, wait for, blocked by, before another
gantt, timeline, schedule, roadmap
time tracking, track time, timer, log hours, hours spent, timesheet
report, statistics, analytics, dashboard
book, booking, reserve, reservation, appointment, schedule
reschedule, change the date, change my booking, move my booking, another day, postpone, another date
check-in, check in, checkin, arrive, arrival
check-out, check out, checkout, leave, departure
room, accommodation, stay, suite
breakfast, meal, food, dinner, lunch
parking, park, car park, garage
wifi, internet, wi-fi, wireless, network
pet, pets, dog, cat, animal
luggage, baggage, suitcase, bag
flight, plane, fly
ticket, tickets, pass, admission, entry
seat, place, spot
doctor, physician, gp, specialist
prescription, medication, medicine, drugs
insurance, insured, policy, coverage
claim, make a claim, report a claim
accident, crash, injury
lesson, class, course, training, session
teacher, instructor, trainer, coach, tutor
gym, fitness, workout, exercise
freeze, pause, suspend, put on hold, take a break
loan, borrow, credit, mortgage, lend
interest, interest rate, apr
deposit, down payment, security deposit
withdraw, withdrawal, take out, cash out
balance, how much do i have, remaining
statement, transactions, history
fraud, scam, scammed, stolen, phishing, hacked, suspicious
stolen, theft, thief, robbed
lost card, stolen card, lose my card
sim, sim card, esim
roaming, abroad, overseas
signal, reception, coverage, connection
data plan, data allowance, gigabytes, gb
contract, agreement, terms, commitment
meter, reading, meter reading
electricity, power, energy
water, tap
broken down, not working, out of order, fault, outage, down
install, installation, set up, setup, put in
vegan, vegetarian, plant-based
allergy, allergic, allergen, intolerance, gluten
ingredient, ingredients, made of, material, contain
menu, dishes
waiting list, waitlist, queue
age, old, minimum age, how old
dress code, wear, clothing
job, jobs, career, careers, vacancy, hiring, work for you, apply
certificate, proof, confirmation, diploma
language, languages, speak
accessible, accessibility, wheelchair, disabled, disability
donate, donation, give
volunteer, volunteering, help out
tenant, renter, landlord
key, keys, fob
noise, noisy, loud, neighbours
rubbish, trash, garbage, waste, recycling, bin
visa, passport, identity card, identification, id
licence, license, permit
picture, photo, image
colour, color
printer, print, printing
name, surname, last name, married
`;
