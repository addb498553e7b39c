/* The reference engine: the loops of the two official simulators around Debian's Box2D 2.4.1,
 * 1 ms at a time and in float32 throughout, because step and rounding are part of the reference.
 *   ICE_DC2   half a friction step, then { world step; friction step; removal scan } until the
 *             scan finds every stone asleep (Box2D lets a body sleep after 0.5 s at rest)
 *   ICE_FCV1  { removal; end if all are at rest; friction and spin step; world step }
 * Positions are in the reference's own frame here; see frame_dc2_point(). */
#include <box2d/box2d.h>

#include <algorithm>
#include <cmath>
#include <new>

/* The project's C17 headers use compound literals, an extension in C++. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
extern "C" {
#include "models/game/frame.h"
#include "models/game/sheet.h"
#include "models/ice/throw.h"
}
#pragma GCC diagnostic pop

namespace
{

constexpr float step_s = 0.001f;
constexpr float stone_radius = 0.145f;
constexpr int step_limit = 200000; /* 200 s; the longest throw of the references takes 40 s */

/* Limit for stones that slide behind the thrower, in the reference's frame. */
constexpr float dc2_near_end_y = 3.05f + 42.5f - stone_radius; /* its centre */
constexpr float fcv1_near_end_y = -1.829f;                     /* its edge */

constexpr float dc2_stone_density = 10.0f; /* kg/m^2 */
constexpr float fcv1_stone_mass_kg = 19.96f;

/* Positions are clamped to fit a float; anything this far is out of play. */
constexpr double far_away = 1e6;

class rink : b2ContactListener
{
  public:
    explicit rink(const struct throw_request &request);
    enum throw_status run(struct throw_result *ret_result);

  private:
    struct stone {
        b2Body *body = nullptr; /* owned by the world; null: not in play */
        int index = 0;          /* the stone's number in struct position */
        b2Vec2 at{0.0f, 0.0f};  /* place after the last step */
        bool moving = false;
        int last_point_step = -1; /* of the trajectory */
    };

    b2Vec2 from_shot_frame(struct vec2 at) const;
    struct vec2 to_shot_frame(b2Vec2 at) const;
    void add_body(int number, b2Vec2 at, b2Vec2 velocity, float omega);
    void remove(stone &s);
    bool is_beyond_back(b2Vec2 at) const;
    bool is_short_of_hog(b2Vec2 at) const;
    bool is_out_while_moving(b2Vec2 at) const;
    bool run_dc2();
    bool run_fcv1();
    void dc2_friction(float loss);
    bool dc2_scan();
    void note_step();
    void add_point(stone &s, int step, b2Vec2 at);
    void remove_at_rest();
    void BeginContact(b2Contact *contact) override;

    const struct throw_request &request_;
    const struct ice_profile &ice_;
    b2World world_{b2Vec2(0.0f, 0.0f)};
    stone stones_[POSITION_STONES]; /* by body number */
    int delivered_;                 /* body number */
    int steps_ = 0;
    int last_moving_step_ = 0;
    int32_t collisions_ = 0;
    uint16_t moved_ = 0;
    bool delivered_touched_ = false;
    bool hog_foul_ = false;
    bool out_of_memory_ = false;
};

rink::rink(const struct throw_request &request)
    : request_(request), ice_(*request.ice),
      delivered_(ice_body_of_stone(request.ice, request.team0_has_hammer, request.stone))
{
    world_.SetContactListener(this);
    if (request.trajectory)
        trajectory_clear(request.trajectory);

    /* Created in the order of the numbers: Box2D visits bodies and contacts newest first. */
    for (int number = 0; number < POSITION_STONES; number++) {
        int index = ice_stone_of_body(request.ice, request.team0_has_hammer, number);
        stones_[number].index = index;
        if (number == delivered_) {
            struct vec2 v = request.shot.velocity;
            float omega = static_cast<float>(request.shot.omega);
            if (ice_.law == ICE_DC2) {
                v = vec2_scale(-1.0, v);
                float a = static_cast<float>(ICE_DC2_A);
                omega = omega > 0.0f ? a : omega < 0.0f ? -a : 0.0f;
            }
            add_body(number, from_shot_frame(ice_.hack),
                     b2Vec2(static_cast<float>(v.x), static_cast<float>(v.y)), omega);
        } else if (position_has(request.before, index)) {
            add_body(number, from_shot_frame(request.before->stone[index]), b2Vec2_zero, 0.0f);
        }
    }
    moved_ = static_cast<uint16_t>(1u << request.stone);
}

b2Vec2 rink::from_shot_frame(struct vec2 at) const
{
    if (ice_.law == ICE_DC2)
        at = frame_dc2_point(at);
    return b2Vec2(static_cast<float>(std::clamp(at.x, -far_away, far_away)),
                  static_cast<float>(std::clamp(at.y, -far_away, far_away)));
}

struct vec2 rink::to_shot_frame(b2Vec2 at) const
{
    struct vec2 out = {static_cast<double>(at.x), static_cast<double>(at.y)};
    return ice_.law == ICE_DC2 ? frame_dc2_point(out) : out;
}

void rink::add_body(int number, b2Vec2 at, b2Vec2 velocity, float omega)
{
    b2BodyDef def;
    def.type = b2_dynamicBody;
    def.position = at;
    def.linearVelocity = velocity;
    def.angularVelocity = omega;
    def.userData.pointer = static_cast<uintptr_t>(number);

    b2CircleShape circle;
    circle.m_radius = stone_radius;

    b2FixtureDef fixture;
    fixture.shape = &circle;
    fixture.density = ice_.law == ICE_DC2
                          ? dc2_stone_density
                          : fcv1_stone_mass_kg / (b2_pi * stone_radius * stone_radius);
    fixture.friction = static_cast<float>(ice_.contact_friction);
    fixture.restitution = 1.0f;
    fixture.restitutionThreshold = static_cast<float>(ice_.restitution_threshold);

    stone &s = stones_[number];
    s.body = world_.CreateBody(&def);
    s.body->CreateFixture(&fixture);
    s.at = at;
}

void rink::BeginContact(b2Contact *contact)
{
    const b2Body *a = contact->GetFixtureA()->GetBody();
    const b2Body *b = contact->GetFixtureB()->GetBody();

    if (a->GetLinearVelocity() == b2Vec2_zero && b->GetLinearVelocity() == b2Vec2_zero)
        return;
    collisions_++;
    const b2Body *delivered = stones_[delivered_].body;
    if (a == delivered || b == delivered)
        delivered_touched_ = true;
}

/* The lines, each compared in the reference's own arithmetic. */
bool rink::is_beyond_back(b2Vec2 at) const
{
    if (ice_.law == ICE_DC2)
        return at.y <= from_shot_frame({0.0, ice_.back_y}).y;
    return at.y - stone_radius >= static_cast<float>(ice_.back_y - STONE_RADIUS);
}

bool rink::is_short_of_hog(b2Vec2 at) const
{
    if (ice_.law == ICE_DC2)
        return at.y >= from_shot_frame({0.0, ice_.hog_y}).y;
    return at.y - stone_radius <= static_cast<float>(ice_.hog_y - STONE_RADIUS);
}

bool rink::is_out_while_moving(b2Vec2 at) const
{
    if (ice_.back == ICE_REMOVE_MOVING && is_beyond_back(at))
        return true;
    if (ice_.law == ICE_DC2) {
        float left = from_shot_frame({ice_.side_x, 0.0}).x;
        float right = from_shot_frame({-ice_.side_x, 0.0}).x;
        return !(at.x > left && at.x < right && at.y < dc2_near_end_y);
    }
    float half_width = static_cast<float>(ice_.side_x + STONE_RADIUS);
    return !(at.x + stone_radius < half_width && at.x - stone_radius > -half_width &&
             at.y - stone_radius > fcv1_near_end_y);
}

void rink::remove(stone &s)
{
    if (s.moving)
        add_point(s, steps_, s.body->GetPosition());
    world_.DestroyBody(s.body);
    s.body = nullptr;
}

/* |v| falls by `loss`; then v turns by atan(A loss / |v|) to the side of the spin. */
b2Vec2 dc2_slowed(b2Vec2 v, float omega, float loss)
{
    const float a = static_cast<float>(ICE_DC2_A);

    if (!(v.Length() > loss))
        return b2Vec2_zero;
    b2Vec2 heading = v;
    heading.Normalize();
    b2Vec2 left(-heading.y, heading.x);
    v -= loss * heading;
    if (omega != 0.0f) {
        float speed = v.Length();
        v += (omega > 0.0f ? a * loss : -a * loss) * left;
        v.Normalize();
        v *= speed;
    }
    return v;
}

void rink::dc2_friction(float loss)
{
    for (stone &s : stones_) {
        if (!s.body || s.body->GetLinearVelocity() == b2Vec2_zero)
            continue;
        b2Vec2 v = dc2_slowed(s.body->GetLinearVelocity(), s.body->GetAngularVelocity(), loss);
        s.body->SetLinearVelocity(v);
        if (v == b2Vec2_zero)
            s.body->SetAngularVelocity(0.0f);
    }
}

/* Takes stones off the rink, but only up to the first one that is awake: a stone that slides out
 * stays, and may come back, until all stones before it sleep. True when all of them sleep. */
bool rink::dc2_scan()
{
    for (stone &s : stones_) {
        if (!s.body)
            continue;
        if (is_out_while_moving(s.body->GetPosition()))
            remove(s);
        else if (s.body->IsAwake())
            return false;
    }
    return true;
}

bool rink::run_dc2()
{
    const float loss = static_cast<float>(ICE_DC2_DECELERATION) * step_s;

    dc2_friction(loss * 0.5f);
    while (steps_ < step_limit) {
        world_.Step(step_s, ice_.velocity_iterations, ice_.position_iterations);
        dc2_friction(loss);
        note_step();
        if (dc2_scan())
            return true;
        /* In Box2D two stones in one place never sleep, nor does one that spins on the spot. */
        if (steps_ - last_moving_step_ > 2 * ICE_DC2_SLEEP_STEPS)
            for (stone &s : stones_)
                if (s.body)
                    s.body->SetAwake(false);
    }
    return false;
}

/* One step of FCV1's own motion: deceleration and curl at the speed before it, and loss of spin. */
void fcv1_slow(b2Body *body)
{
    constexpr float a = static_cast<float>(ICE_FCV1_A);
    constexpr float b = static_cast<float>(ICE_FCV1_B);
    constexpr float c = static_cast<float>(ICE_FCV1_C);
    constexpr float g = static_cast<float>(ICE_FCV1_G);
    constexpr float yaw_gain = static_cast<float>(ICE_FCV1_YAW);
    constexpr float spin_loss = static_cast<float>(ICE_FCV1_SPIN_LOSS);
    constexpr float spin_min_speed = static_cast<float>(ICE_FCV1_SPIN_MIN_SPEED);
    constexpr float epsilon = static_cast<float>(ICE_FCV1_EPSILON);

    b2Vec2 heading = body->GetLinearVelocity();
    float omega = body->GetAngularVelocity();
    float speed = heading.Normalize();

    if (speed > epsilon) {
        float slower = speed + -(a / (speed + b) + c) * g * step_s;
        b2Vec2 v = b2Vec2_zero;
        if (slower > 0.0f) {
            float side = std::fabs(omega) <= epsilon ? 0.0f : omega > 0.0f ? 1.0f : -1.0f;
            float yaw = side * yaw_gain * std::pow(speed, -0.8f) * step_s;
            b2Vec2 left(-heading.y, heading.x);
            v = slower * std::cos(yaw) * heading + slower * std::sin(yaw) * left;
        }
        body->SetLinearVelocity(v);
    }
    if (std::fabs(omega) > epsilon) {
        float loss = -spin_loss / std::max(speed, spin_min_speed) * step_s;
        body->SetAngularVelocity(
            std::fabs(omega) <= std::fabs(loss) ? 0.0f : omega + loss * omega / std::fabs(omega));
    }
}

bool rink::run_fcv1()
{
    for (;;) {
        bool at_rest = true;
        for (stone &s : stones_) {
            if (!s.body)
                continue;
            if (is_out_while_moving(s.body->GetPosition()))
                remove(s);
            else if (s.body->GetLinearVelocity().LengthSquared() > b2_epsilon ||
                     s.body->GetAngularVelocity() > b2_epsilon)
                at_rest = false; /* the reference ignores omega < 0 here */
        }
        if (at_rest)
            return true;
        if (steps_ >= step_limit)
            return false;
        for (stone &s : stones_)
            if (s.body)
                fcv1_slow(s.body);
        world_.Step(step_s, ice_.velocity_iterations, ice_.position_iterations);
        note_step();
    }
}

void rink::add_point(stone &s, int step, b2Vec2 at)
{
    if (!request_.trajectory || s.last_point_step == step)
        return;
    s.last_point_step = step;
    if (!trajectory_add(request_.trajectory, s.index, step * ICE_STEP_S, to_shot_frame(at)))
        out_of_memory_ = true;
}

/* Records, after a step, the stones that moved and the points of the trajectory. A stone moves in a
 * step that changes its place or leaves it a velocity. */
void rink::note_step()
{
    int interval = request_.trajectory ? request_.trajectory->interval_steps : 1;

    steps_++;
    for (stone &s : stones_) {
        if (!s.body)
            continue;
        b2Vec2 at = s.body->GetPosition();
        bool moving = at != s.at || s.body->GetLinearVelocity() != b2Vec2_zero;
        if (moving) {
            moved_ = static_cast<uint16_t>(moved_ | 1u << s.index);
            last_moving_step_ = steps_;
        }
        if (moving && !s.moving)
            add_point(s, steps_ - 1, s.at);
        if (moving && steps_ % interval == 0)
            add_point(s, steps_, at);
        if (!moving && s.moving)
            add_point(s, steps_ - 1, at);
        s.moving = moving;
        s.at = at;
    }
}

/* Makes the removals that wait until all stones are at rest. */
void rink::remove_at_rest()
{
    for (int number = 0; number < POSITION_STONES; number++) {
        stone &s = stones_[number];
        if (!s.body)
            continue;
        b2Vec2 at = s.body->GetPosition();
        bool delivered = number == delivered_;
        bool hog_counts = ice_.hog == ICE_HOG_ALL_STONES ||
                          (delivered && ice_.hog == ICE_HOG_DELIVERED) ||
                          (delivered && !delivered_touched_);
        bool short_of_hog = hog_counts && is_short_of_hog(at);
        bool beyond_back = ice_.back == ICE_REMOVE_AT_REST && is_beyond_back(at);
        if (!short_of_hog && !beyond_back)
            continue;
        hog_foul_ = hog_foul_ || (delivered && short_of_hog);
        remove(s);
    }
}

enum throw_status rink::run(struct throw_result *ret_result)
{
    bool ended = ice_.law == ICE_DC2 ? run_dc2() : run_fcv1();
    if (!ended)
        return THROW_FAILED;
    /* The last stone may creep at a speed that counts as rest. */
    for (stone &s : stones_)
        if (s.body && s.moving)
            add_point(s, steps_, s.body->GetPosition());
    remove_at_rest();
    if (out_of_memory_)
        return THROW_NO_MEMORY;

    struct throw_result result = {};
    for (const stone &s : stones_) {
        if (!s.body)
            continue;
        /* A stone that did not move keeps its exact place, without rounding to float32. */
        bool moved = (moved_ >> s.index & 1) != 0;
        position_put(&result.after, s.index,
                     moved ? to_shot_frame(s.body->GetPosition())
                           : request_.before->stone[s.index]);
    }
    unsigned thrown = request_.before->in_play | 1u << request_.stone;
    result.collisions = collisions_;
    result.moved = moved_;
    result.removed = static_cast<uint16_t>(thrown & ~static_cast<unsigned>(result.after.in_play));
    result.hog_foul = hog_foul_;
    *ret_result = result;
    return THROW_OK;
}

} // namespace

enum throw_status throw_box2d(const struct throw_request *request, struct throw_result *ret_result)
{
    enum throw_status status = throw_check(request);

    if (status != THROW_OK)
        return status;
    try {
        return rink(*request).run(ret_result);
    } catch (const std::bad_alloc &) {
        return THROW_NO_MEMORY;
    } catch (...) {
        return THROW_FAILED;
    }
}
